import { lay } from '../views/graph/run-layout.ts';
import type { FromLayout } from '../views/graph/layout-messages.ts';
import type { LayoutThread } from '../views/graph/layout-thread.ts';

/** So long the page may stand still. */
const SLICE_MILLIS = 12;

/** A page from disk can load no worker: the layout runs between two pictures. */
export function startLayoutThread(): LayoutThread {
  let run = 0;
  const thread: LayoutThread = {
    onmessage: null,
    postMessage(message) {
      run = message.id;
      const tell = (data: FromLayout): void => thread.onmessage?.(new MessageEvent('message', { data }));
      // As from a worker, nothing is heard before the caller is done.
      setTimeout(() => void lay(message, tell, () => run === message.id, SLICE_MILLIS), 0);
    },
    terminate() {
      run = -1;
    },
  };
  return thread;
}
