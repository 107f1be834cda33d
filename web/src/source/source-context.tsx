import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Source } from './source.ts';
import type { Store } from './store.ts';

export const SourceContext = createContext<Source | undefined>(undefined);

/** The source that this page shows. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (source === undefined) throw new Error('a view must stand inside the source');
  return source;
}

/** Whether the memory can be changed here. */
export function useCanEdit(): boolean {
  return useSource().kind !== 'file';
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
