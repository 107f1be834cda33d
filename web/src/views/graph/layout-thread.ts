import type { FromLayout, ToLayout } from './layout-messages.ts';

/** What lays graphs out beside the page; as much of a worker as that takes. */
export interface LayoutThread {
  onmessage: ((event: MessageEvent<FromLayout>) => void) | null;
  postMessage(message: ToLayout, transfer: Transferable[]): void;
  terminate(): void;
}

export function startLayoutThread(): LayoutThread {
  return new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'layout' });
}
