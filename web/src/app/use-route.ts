import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route, type Selection } from './route.ts';

/** A change of the address. Parameters that are not named stay; `undefined` takes one out. */
interface Change {
  readonly view?: string;
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** `null` chooses all domains. */
  readonly domain?: string | null;
  readonly selection?: Selection | null;
}

interface Navigation {
  readonly route: Route;
  /** Goes somewhere: the way back leads here. */
  readonly go: (change: Change) => void;
  /** Changes the address in place, for what is typed or dragged. */
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

/** Another view starts with its own parameters; domain and selection go along. */
function changed(route: Route, change: Change): Route {
  const view = change.view ?? route.view;
  const kept = view === route.view ? route.params : {};
  const merged = Object.entries({ ...kept, ...change.params }).filter(([, value]) => value !== undefined);
  const domain = change.domain === null ? undefined : (change.domain ?? route.domain);
  const selection = change.selection === null ? undefined : (change.selection ?? route.selection);
  return { view, params: Object.fromEntries(merged) as Record<string, string>, domain, selection };
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
