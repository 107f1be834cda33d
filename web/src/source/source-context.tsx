import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Source } from './source.ts';
import type { Store } from './store.ts';

export const SourceContext = createContext<Source | undefined>(undefined);

/** The source of this page. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (source === undefined) throw new Error('useSource must be called below a SourceContext');
  return source;
}

/** Whether the memory can be changed: not in a standalone page or on a read-only server. */
export function useCanEdit(): boolean {
  const { kind, status } = useSource();
  const isReadOnly = useSyncExternalStore(status.subscribe, () => status.get().isReadOnly === true);
  return kind !== 'file' && !isReadOnly;
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
