import { formatNames, parseNames, type Route, type Selection } from '../../app/route.ts';

export const COLORINGS = ['type', 'status', 'domain', 'community'] as const;
export type Coloring = (typeof COLORINGS)[number];

/** Which records are drawn. */
export const SHOWN = ['entities', 'memories', 'all'] as const;
export type Shown = (typeof SHOWN)[number];

/** What the address asks the graph to show. Entities are told by name, memories by id. */
export interface Wish {
  readonly shows: Shown;
  /** Names around which the graph is shown; none means that nothing was chosen yet. */
  readonly focus: readonly string[];
  readonly focusMemories: readonly string[];
  /** Names whose neighbours are shown as well. */
  readonly open: readonly string[];
  readonly openMemories: readonly string[];
  readonly hidden: readonly string[];
  readonly hiddenMemories: readonly string[];
  /** How many steps from the focus. */
  readonly depth: number;
  /** So many records of the whole memory, most used first, in place of a focus. */
  readonly most: number | undefined;
  readonly coloring: Coloring;
  /** Types of relations and links to follow; none means all. */
  readonly relationTypes: readonly string[];
  readonly entityType: string | undefined;
  readonly showsEnded: boolean;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const DEPTH_MAX = 5;
export const MOST_MAX = 20_000;
/** So many are drawn where nothing else says how many. */
export const MOST_SOME = 200;

type Params = Readonly<Record<string, string>>;
type ParamChange = Readonly<Record<string, string | undefined>>;

/** Lists and their names in the address. */
const LISTS = {
  focus: 'focus',
  focusMemories: 'mfocus',
  open: 'open',
  openMemories: 'mopen',
  hidden: 'hide',
  hiddenMemories: 'mhide',
  relationTypes: 'rel',
} as const satisfies Partial<Record<keyof Wish, string>>;

const LIST_FIELDS = Object.keys(LISTS) as (keyof typeof LISTS)[];

export function parseWish(params: Params): Wish {
  const lists = Object.fromEntries(
    LIST_FIELDS.map((field) => [field, parseNames(params[LISTS[field]])]),
  ) as unknown as Record<keyof typeof LISTS, string[]>;
  const named = SHOWN.find((name) => name === params['shows']);
  return {
    ...lists,
    // An address that names a memory shows it.
    shows: named ?? (lists.focusMemories.length > 0 ? 'all' : 'entities'),
    depth: whole(params['depth'], 0, DEPTH_MAX) ?? 1,
    most: whole(params['most'], 1, MOST_MAX),
    coloring: COLORINGS.find((name) => name === params['color']) ?? 'type',
    entityType: params['type'],
    showsEnded: params['ended'] === '1',
    since: params['since'],
    until: params['until'],
  };
}

/** A change of the wish as a change of the address. Defaults are left out. */
export function wishParams(change: Partial<Wish>): ParamChange {
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

/** The graph around one record and nothing else. Where it could not be drawn, both kinds are. */
export function around({ kind, id }: Selection, shows: Shown): Partial<Wish> {
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

/** The parameters that show the graph around a record, from wherever the page is. */
export function paramsAround(route: Route, record: Selection): ParamChange {
  return wishParams(around(record, route.view === 'graph' ? parseWish(route.params).shows : 'entities'));
}

/** What of these is drawn: entities by their names, memories by their ids. */
export function drawable(
  shows: Shown,
  names: readonly string[],
  ids: readonly string[],
): { readonly names: readonly string[]; readonly ids: readonly string[] } {
  return { names: shows === 'memories' ? [] : names, ids: shows === 'entities' ? [] : ids };
}

/** Whether there is something to begin with. */
export function begins({ shows, focus, focusMemories, most }: Wish): boolean {
  const { names, ids } = drawable(shows, focus, focusMemories);
  return most !== undefined || names.length + ids.length > 0;
}

/** What is drawn: what the address asks for, or without a start the most used records, of both kinds unless it names one. */
export function orMostUsed(wish: Wish, params: Params): Wish {
  if (begins(wish)) return wish;
  return { ...wish, most: MOST_SOME, shows: SHOWN.find((name) => name === params['shows']) ?? 'all' };
}

/** Other records are to be drawn. What lies around is kept if it can be drawn still. */
export function switched(wish: Wish, shows: Shown): Partial<Wish> {
  const { names: focus, ids: focusMemories } = drawable(shows, wish.focus, wish.focusMemories);
  const isLost = focus.length + focusMemories.length === 0 && wish.most === undefined;
  const coloring = shows === 'entities' && wish.coloring === 'domain' ? 'type' : wish.coloring;
  return { shows, focus, focusMemories, coloring, ...(isLost && { most: MOST_SOME }) };
}

/** Whether a record's neighbours are shown as well. */
export function isOpen(wish: Wish, { kind, id }: Selection): boolean {
  return (kind === 'memory' ? wish.openMemories : wish.open).includes(id);
}

/** Shows the neighbours of a record, or folds them. */
export function toggledOpen(wish: Wish, record: Selection): Partial<Wish> {
  const toggled = (ids: readonly string[]): string[] =>
    ids.includes(record.id) ? ids.filter((id) => id !== record.id) : [...ids, record.id];
  return record.kind === 'memory' ? { openMemories: toggled(wish.openMemories) } : { open: toggled(wish.open) };
}

export function withHidden(wish: Wish, { kind, id }: Selection): Partial<Wish> {
  return kind === 'memory' ? { hiddenMemories: [...wish.hiddenMemories, id] } : { hidden: [...wish.hidden, id] };
}

/** How many filters are set. */
export function activeFilters({ relationTypes, entityType, showsEnded, since, until }: Wish): number {
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
