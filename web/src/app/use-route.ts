import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route, type Selection } from './route.ts';

/** A change of the route. Omitted parameters stay unchanged; `undefined` removes one. */
interface Change {
  readonly view?: string;
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** `null` selects all domains. */
  readonly domain?: string | null;
  readonly selection?: Selection | null;
}

interface Navigation {
  readonly route: Route;
  /** Navigates and adds a history entry. */
  readonly go: (change: Change) => void;
  /** Replaces the address without a history entry, for typing and dragging. */
  readonly adjust: (change: Change) => void;
  readonly hrefOf: (change: Change) => string;
}

export function useRoute(): Navigation {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const route = useMemo(() => parseRoute(hash), [hash]);
  const hrefOf = useCallback((change: Change) => formatRoute(changed(current(), change)), []);
  const go = useCallback((change: Change) => {
    const href = formatRoute(changed(current(), change));
    if (href !== location.hash) location.hash = href;
  }, []);
  const adjust = useCallback((change: Change) => {
    history.replaceState(null, '', formatRoute(changed(current(), change)));
    dispatchEvent(new HashChangeEvent('hashchange'));
  }, []);
  return { route, go, adjust, hrefOf };
}

function current(): Route {
  return parseRoute(location.hash);
}

/** Applies a change. Another view starts without parameters; domain and selection are kept. */
function changed(route: Route, change: Change): Route {
  const view = change.view ?? route.view;
  const keptParams = view === route.view ? route.params : {};
  const merged = Object.entries({ ...keptParams, ...change.params }).filter(([, value]) => value !== undefined);
  const domain = change.domain === null ? undefined : (change.domain ?? route.domain);
  const selection = change.selection === null ? undefined : (change.selection ?? route.selection);
  return { view, params: Object.fromEntries(merged) as Record<string, string>, domain, selection };
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
