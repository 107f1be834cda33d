/**
 * The route of the page: `#/view?name=value&domain=id&sel=kind:id`. Works on any file server and survives a reload.
 */
export interface Route {
  readonly view: string;
  readonly params: Readonly<Record<string, string>>;
  /** The selected domain; all domains if undefined. */
  readonly domain?: string | undefined;
  readonly selection: Selection | undefined;
}

/** The content of the inspector: a record of a kind (see `registry.ts`) by its id. */
export interface Selection {
  readonly kind: string;
  readonly id: string;
}

/** A change of the route. Omitted parameters stay unchanged; `undefined` removes one. */
export interface RouteChange {
  readonly view?: string;
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** `null` selects all domains. */
  readonly domain?: string | null;
  readonly selection?: Selection | null;
}

/** The default view, the first of the registry. */
export const FIRST_VIEW = 'graph';

/** Views whose id differs in earlier addresses. */
const RENAMED_VIEWS: Readonly<Record<string, string>> = { care: 'maintenance' };

const DOMAIN = 'domain';
const SELECTION = 'sel';

export function parseRoute(hash: string): Route {
  const address = hash.replace(/^#\/?/, '');
  // A value may contain a question mark.
  const mark = address.indexOf('?');
  const path = mark < 0 ? address : address.slice(0, mark);
  const query = mark < 0 ? '' : address.slice(mark + 1);
  const params: Record<string, string> = {};
  let domain: string | undefined;
  let selection: Selection | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === SELECTION) selection = parseSelection(value);
    else if (name === DOMAIN) domain = value === '' ? undefined : value;
    else params[name] = value;
  }
  return { view: path === '' ? FIRST_VIEW : (RENAMED_VIEWS[path] ?? path), params, domain, selection };
}

/** The address of a route. Empty parameters are left out. */
export function formatRoute({ view, params, domain, selection }: Route): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(params).sort()) {
    const value = params[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  if (domain !== undefined) query.set(DOMAIN, domain);
  if (selection !== undefined) query.set(SELECTION, `${selection.kind}:${selection.id}`);
  const text = query.toString();
  return `#/${view}${text === '' ? '' : `?${text}`}`;
}

function parseSelection(text: string): Selection | undefined {
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { kind: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** Applies a change. Another view starts without parameters; domain and selection are kept. */
export function changedRoute(route: Route, change: RouteChange): Route {
  const view = change.view ?? route.view;
  const keptParams = view === route.view ? route.params : {};
  const merged = Object.entries({ ...keptParams, ...change.params }).filter(([, value]) => value !== undefined);
  const domain = change.domain === null ? undefined : (change.domain ?? route.domain);
  const selection = change.selection === null ? undefined : (change.selection ?? route.selection);
  return { view, params: Object.fromEntries(merged) as Record<string, string>, domain, selection };
}

/** Parses a list of names, which may contain any character. */
export function parseNames(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  return text.split(',').map(decoded);
}

export function formatNames(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name)).join(',');
}

/** An invalid escape in an edited address must not break the page. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
