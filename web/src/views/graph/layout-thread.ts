import type { FromLayout, ToLayout } from './layout-messages.ts';

/** The parts of the `Worker` interface that the layout uses. */
export interface LayoutThread {
  onmessage: ((event: MessageEvent<FromLayout>) => void) | null;
  postMessage(message: ToLayout, transfer: Transferable[]): void;
  terminate(): void;
}

export function startLayoutThread(): LayoutThread {
  return new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'layout' });
}
