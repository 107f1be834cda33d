import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { changedRoute, formatRoute, parseRoute, type Route, type RouteChange } from './route.ts';

export interface Navigation {
  readonly route: Route;
  /** Navigates and adds a history entry. */
  readonly go: (change: RouteChange) => void;
  /** Replaces the address without a history entry, for typing and dragging. */
  readonly adjust: (change: RouteChange) => void;
  readonly hrefOf: (change: RouteChange) => string;
}

export function useRoute(): Navigation {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const route = useMemo(() => parseRoute(hash), [hash]);
  const hrefOf = useCallback((change: RouteChange) => formatRoute(changedRoute(current(), change)), []);
  const go = useCallback((change: RouteChange) => {
    const href = formatRoute(changedRoute(current(), change));
    if (href !== location.hash) location.hash = href;
  }, []);
  const adjust = useCallback((change: RouteChange) => {
    history.replaceState(history.state, '', formatRoute(changedRoute(current(), change)));
    dispatchEvent(new HashChangeEvent('hashchange'));
  }, []);
  return { route, go, adjust, hrefOf };
}

function current(): Route {
  return parseRoute(location.hash);
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
