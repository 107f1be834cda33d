/** The layout's worker. */
import { runLayout } from './run-layout.ts';
import type { FromLayout, ToLayout } from './layout-messages.ts';

let run = 0;

function post(message: FromLayout): void {
  self.postMessage(message, { transfer: [message.positions.buffer] });
}

self.onmessage = ({ data }: MessageEvent<ToLayout>) => {
  run = data.id;
  void runLayout(data, post, () => run === data.id);
};
