/** The state of the table view in the address: kind, words, filters and order. */
import type { Input } from '../../source/tools.ts';

type Query = Input<'explore_records'>;
type Params = Readonly<Record<string, string>>;
export type ParamChange = Readonly<Record<string, string | undefined>>;

export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

export interface TableUrlState {
  readonly kind: string;
  readonly text: string;
  /** Default: the kind's own order. */
  readonly order: Order | undefined;
  readonly entityType: string | undefined;
  readonly status: string | undefined;
  /** Columns that must have exactly this text. */
  readonly exactly: Params;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const EXACTLY = 'is.';

export function parseTableUrl(params: Params, kinds: readonly string[]): TableUrlState {
  const exactly: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    if (name.startsWith(EXACTLY)) exactly[name.slice(EXACTLY.length)] = value;
  }
  const kind = params['kind'];
  return {
    kind: kind !== undefined && kinds.includes(kind) ? kind : (kinds[0] ?? ''),
    text: params['q'] ?? '',
    order: parseOrder(params['sort']),
    entityType: params['type'],
    status: params['status'],
    exactly,
    since: params['since'],
    until: params['until'],
  };
}

/** The parameters of a kind and nothing else: filters of one kind do not apply to another. */
export function paramsOfKind(params: Params, kind: string): ParamChange {
  const cleared = Object.fromEntries(Object.keys(params).map((name) => [name, undefined]));
  return { ...cleared, kind };
}

/** Removes all filters. The kind and the order stay. */
export function withoutFilters(params: Params): ParamChange {
  return Object.fromEntries(
    Object.keys(params)
      .filter((name) => name !== 'kind' && name !== 'sort')
      .map((name) => [name, undefined]),
  );
}

/** The parameter that holds a filter. */
export function filterParam(name: string): string {
  return name === 'type' || name === 'status' ? name : `${EXACTLY}${columnOf(name)}`;
}

export function chosenFilter(urlState: TableUrlState, name: string): string | undefined {
  if (name === 'type') return urlState.entityType;
  return name === 'status' ? urlState.status : urlState.exactly[columnOf(name)];
}

/** The column that a filter applies to; `=` marks a column whose name is also the name of an argument. */
export function columnOf(name: string): string {
  return name.replace(/^=/, '');
}

export function isFiltered(urlState: TableUrlState): boolean {
  const { text, entityType, status, exactly, since, until } = urlState;
  return (
    text !== '' ||
    [entityType, status, since, until].some((value) => value !== undefined) ||
    Object.keys(exactly).length > 0
  );
}

/** The arguments of the tool, except for the page. */
export function queryOf(urlState: TableUrlState, fallback: Order, domain?: string): Query {
  const { column, descending } = urlState.order ?? fallback;
  return {
    kind: urlState.kind as Query['kind'],
    text: urlState.text === '' ? undefined : urlState.text,
    entity_type: urlState.entityType,
    status: urlState.status,
    filter: Object.keys(urlState.exactly).length === 0 ? undefined : { ...urlState.exactly },
    since: urlState.since,
    until: urlState.until,
    domain,
    sort: column,
    descending,
  };
}

/** Sorts by a column; if it is sorted by it already, reverses the order. */
export function nextOrder(order: Order, column: string): Order {
  return order.column === column ? { column, descending: !order.descending } : { column, descending: false };
}

export function formatOrder({ column, descending }: Order): string {
  return descending ? `-${column}` : column;
}

function parseOrder(text: string | undefined): Order | undefined {
  if (text === undefined || text === '') return undefined;
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false };
}
