import { runLayout } from '../views/graph/run-layout.ts';
import type { FromLayout } from '../views/graph/layout-messages.ts';
import type { LayoutThread } from '../views/graph/layout-thread.ts';

/** Time slice of the layout. */
const SLICE_MILLIS = 12;

/** Runs the layout in slices on the page's thread; a page opened from disk cannot load workers. */
export function startLayoutThread(): LayoutThread {
  let run = 0;
  const thread: LayoutThread = {
    onmessage: null,
    onerror: null,
    postMessage(message) {
      run = message.id;
      const send = (data: FromLayout): void => thread.onmessage?.(new MessageEvent('message', { data }));
      // Messages are asynchronous, as from a worker.
      setTimeout(() => void runLayout(message, send, () => run === message.id, SLICE_MILLIS), 0);
    },
    terminate() {
      run = -1;
    },
  };
  return thread;
}
