import { notify } from '../../app/toasts.tsx';
import type { FromLayout, ToLayout } from './layout-messages.ts';

/** The parts of the `Worker` interface that the layout uses. */
export interface LayoutThread {
  onmessage: ((event: MessageEvent<FromLayout>) => void) | null;
  /** Called if the worker cannot be loaded or fails. */
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToLayout, transfer: Transferable[]): void;
  terminate(): void;
}

export function startLayoutThread(): LayoutThread {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'layout' });
  worker.addEventListener('error', () =>
    notify({
      text: 'The graph is not laid out.',
      detail: 'A part of the page could not be loaded, or failed. Reload the page when you are online.',
      isError: true,
    }),
  );
  return worker;
}
