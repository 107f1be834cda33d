/** The layout's worker. */
import { lay } from './run-layout.ts';
import type { FromLayout, ToLayout } from './layout-messages.ts';

let run = 0;

function tell(message: FromLayout): void {
  self.postMessage(message, { transfer: [message.positions.buffer] });
}

self.onmessage = ({ data }: MessageEvent<ToLayout>) => {
  run = data.id;
  void lay(data, tell, () => run === data.id);
};
