/**
 * The route of an MCP App, in place of `app/use-route.ts`: a host shows the page without an address of its own
 * (`srcdoc`), so the route is kept in memory and there is no history.
 */
import { useMemo } from 'react';
import { changedRoute, formatRoute, parseRoute, type RouteChange } from '../app/route.ts';
import type { Navigation } from '../app/use-route.ts';
import { createStore } from '../source/store.ts';
import { useStore } from '../source/source-context.tsx';

const address = createStore('#/');

export function useRoute(): Navigation {
  const hash = useStore(address);
  const route = useMemo(() => parseRoute(hash), [hash]);
  return { route, go, adjust: go, hrefOf: changed };
}

/** Makes links of `hrefOf` change the route. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
    if (link === null) return;
    event.preventDefault();
    address.set(link.getAttribute('href') ?? '#/');
  });
}

function go(change: RouteChange): void {
  address.set(changed(change));
}

/** The address after a change. There is one view, so the parameters of another one replace the current ones. */
function changed({ view, ...change }: RouteChange): string {
  const route = parseRoute(address.get());
  return formatRoute(changedRoute(view === undefined ? route : { ...route, params: {} }, change));
}
