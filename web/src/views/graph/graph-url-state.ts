import { formatNames, parseNames, type Route, type Selection } from '../../app/route.ts';

export const COLORINGS = ['type', 'status', 'domain', 'community'] as const;
export type Coloring = (typeof COLORINGS)[number];

/** The kinds of records that are drawn. */
export const SHOWN = ['entities', 'memories', 'all'] as const;
export type Shown = (typeof SHOWN)[number];

/** The state of the graph view in the address. Entities are identified by name, memories by id. */
export interface GraphUrlState {
  readonly shows: Shown;
  /** Names in the focus; none means that no focus is selected. */
  readonly focus: readonly string[];
  readonly focusMemories: readonly string[];
  /** Names of expanded entities. */
  readonly open: readonly string[];
  readonly openMemories: readonly string[];
  readonly hidden: readonly string[];
  readonly hiddenMemories: readonly string[];
  /** Number of steps from the focus. */
  readonly depth: number;
  /** Number of records, most used first, instead of a focus. */
  readonly most: number | undefined;
  readonly coloring: Coloring;
  /** Types of relations and links to follow; none means all. */
  readonly relationTypes: readonly string[];
  readonly entityType: string | undefined;
  readonly showsEnded: boolean;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const MAX_DEPTH = 5;
export const MAX_MOST = 20_000;
/** Default of `most`. */
export const MAX_DEFAULT = 200;

type Params = Readonly<Record<string, string>>;
type ParamChange = Readonly<Record<string, string | undefined>>;

/** Lists and their parameters. */
const LISTS = {
  focus: 'focus',
  focusMemories: 'mfocus',
  open: 'open',
  openMemories: 'mopen',
  hidden: 'hide',
  hiddenMemories: 'mhide',
  relationTypes: 'rel',
} as const satisfies Partial<Record<keyof GraphUrlState, string>>;

const LIST_FIELDS = Object.keys(LISTS) as (keyof typeof LISTS)[];

export function parseGraphUrl(params: Params): GraphUrlState {
  const lists = Object.fromEntries(
    LIST_FIELDS.map((field) => [field, parseNames(params[LISTS[field]])]),
  ) as unknown as Record<keyof typeof LISTS, string[]>;
  const named = SHOWN.find((name) => name === params['shows']);
  return {
    ...lists,
    // An address that names a memory shows it.
    shows: named ?? (lists.focusMemories.length > 0 ? 'all' : 'entities'),
    depth: whole(params['depth'], 0, MAX_DEPTH) ?? 1,
    most: whole(params['most'], 1, MAX_MOST),
    coloring: COLORINGS.find((name) => name === params['color']) ?? 'type',
    entityType: params['type'],
    showsEnded: params['ended'] === '1',
    since: params['since'],
    until: params['until'],
  };
}

/** The parameters of a state change. Defaults are omitted. */
export function graphUrlParams(change: Partial<GraphUrlState>): ParamChange {
  const params: Record<string, string | undefined> = {};
  for (const field of LIST_FIELDS) {
    const names = change[field];
    if (names !== undefined) params[LISTS[field]] = names.length === 0 ? undefined : formatNames(names);
  }
  if (change.shows !== undefined) params['shows'] = change.shows === 'entities' ? undefined : change.shows;
  if (change.depth !== undefined) params['depth'] = change.depth === 1 ? undefined : String(change.depth);
  if ('most' in change) params['most'] = change.most === undefined ? undefined : String(change.most);
  if (change.coloring !== undefined) params['color'] = change.coloring === 'type' ? undefined : change.coloring;
  if ('entityType' in change) params['type'] = change.entityType;
  if (change.showsEnded !== undefined) params['ended'] = change.showsEnded ? '1' : undefined;
  if ('since' in change) params['since'] = change.since;
  if ('until' in change) params['until'] = change.until;
  return params;
}

/** The state that focuses on one record. If its kind is not shown, both kinds are. */
export function around({ kind, id }: Selection, shows: Shown): Partial<GraphUrlState> {
  const nothing = {
    focus: [],
    focusMemories: [],
    open: [],
    openMemories: [],
    hidden: [],
    hiddenMemories: [],
    most: undefined,
  };
  if (kind === 'memory') return { ...nothing, focusMemories: [id], shows: shows === 'memories' ? 'memories' : 'all' };
  return { ...nothing, focus: [id], shows: shows === 'entities' ? 'entities' : 'all' };
}

/** The parameters that focus on a record, from any view. */
export function paramsAround(route: Route, record: Selection): ParamChange {
  return graphUrlParams(around(record, route.view === 'graph' ? parseGraphUrl(route.params).shows : 'entities'));
}

/** The names and ids of the shown kinds. */
export function drawable(
  shows: Shown,
  names: readonly string[],
  ids: readonly string[],
): { readonly names: readonly string[]; readonly ids: readonly string[] } {
  return { names: shows === 'memories' ? [] : names, ids: shows === 'entities' ? [] : ids };
}

/** Whether the state has a focus or a number of records. */
export function hasStart({ shows, focus, focusMemories, most }: GraphUrlState): boolean {
  const { names, ids } = drawable(shows, focus, focusMemories);
  return most !== undefined || names.length + ids.length > 0;
}

/**
 * The state to draw: that of the address, or without a start the most used records, of both kinds unless the address
 * names one.
 */
export function orMostUsed(urlState: GraphUrlState, params: Params): GraphUrlState {
  if (hasStart(urlState)) return urlState;
  return { ...urlState, most: MAX_DEFAULT, shows: SHOWN.find((name) => name === params['shows']) ?? 'all' };
}

/** Changes the shown kinds. The focus is kept as far as it can be shown. */
export function withShown(urlState: GraphUrlState, shows: Shown): Partial<GraphUrlState> {
  const { names: focus, ids: focusMemories } = drawable(shows, urlState.focus, urlState.focusMemories);
  const isLost = focus.length + focusMemories.length === 0 && urlState.most === undefined;
  const coloring = shows === 'entities' && urlState.coloring === 'domain' ? 'type' : urlState.coloring;
  return { shows, focus, focusMemories, coloring, ...(isLost && { most: MAX_DEFAULT }) };
}

/** Whether a record's neighbours are shown as well. */
export function isOpen(urlState: GraphUrlState, { kind, id }: Selection): boolean {
  return (kind === 'memory' ? urlState.openMemories : urlState.open).includes(id);
}

/** Expands or collapses a record. */
export function toggleExpanded(urlState: GraphUrlState, record: Selection): Partial<GraphUrlState> {
  const toggled = (ids: readonly string[]): string[] =>
    ids.includes(record.id) ? ids.filter((id) => id !== record.id) : [...ids, record.id];
  return record.kind === 'memory' ? { openMemories: toggled(urlState.openMemories) } : { open: toggled(urlState.open) };
}

export function hideRecord(urlState: GraphUrlState, { kind, id }: Selection): Partial<GraphUrlState> {
  return kind === 'memory'
    ? { hiddenMemories: [...urlState.hiddenMemories, id] }
    : { hidden: [...urlState.hidden, id] };
}

/** The number of active filters. */
export function activeFilters({ relationTypes, entityType, showsEnded, since, until }: GraphUrlState): number {
  return [
    relationTypes.length > 0,
    entityType !== undefined,
    showsEnded,
    since !== undefined,
    until !== undefined,
  ].filter(Boolean).length;
}

function whole(text: string | undefined, least: number, most: number): number | undefined {
  const value = Number(text);
  return text === undefined || !Number.isInteger(value) ? undefined : Math.min(most, Math.max(least, value));
}
