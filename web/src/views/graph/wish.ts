import { formatNames, parseNames } from '../../app/route.ts';

export const COLORINGS = ['type', 'status', 'community'] as const;
export type Coloring = (typeof COLORINGS)[number];

/** What the address asks the graph to show. */
export interface Wish {
  /** Names around which the graph is shown; none means that nothing was chosen yet. */
  readonly focus: readonly string[];
  /** Names whose neighbours are shown as well. */
  readonly open: readonly string[];
  readonly hidden: readonly string[];
  /** How many steps from the focus. */
  readonly depth: number;
  /** So many entities of the whole memory, most used first, in place of a focus. */
  readonly most: number | undefined;
  readonly coloring: Coloring;
  /** Relation types to follow; none means all. */
  readonly relationTypes: readonly string[];
  readonly entityType: string | undefined;
  readonly showsEnded: boolean;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const DEPTH_MAX = 5;
const MOST_MAX = 20_000;

type Params = Readonly<Record<string, string>>;
type ParamChange = Readonly<Record<string, string | undefined>>;

export function parseWish(params: Params): Wish {
  const coloring = COLORINGS.find((name) => name === params['color']) ?? 'type';
  return {
    focus: parseNames(params['focus']),
    open: parseNames(params['open']),
    hidden: parseNames(params['hide']),
    depth: whole(params['depth'], 0, DEPTH_MAX) ?? 1,
    most: whole(params['most'], 1, MOST_MAX),
    coloring,
    relationTypes: parseNames(params['rel']),
    entityType: params['type'],
    showsEnded: params['ended'] === '1',
    since: params['since'],
    until: params['until'],
  };
}

/** A change of the wish as a change of the address. Defaults are left out. */
export function wishParams(change: Partial<Wish>): ParamChange {
  const params: Record<string, string | undefined> = {};
  if (change.focus !== undefined) params['focus'] = textOf(change.focus);
  if (change.open !== undefined) params['open'] = textOf(change.open);
  if (change.hidden !== undefined) params['hide'] = textOf(change.hidden);
  if (change.depth !== undefined) params['depth'] = change.depth === 1 ? undefined : String(change.depth);
  if ('most' in change) params['most'] = change.most === undefined ? undefined : String(change.most);
  if (change.coloring !== undefined) params['color'] = change.coloring === 'type' ? undefined : change.coloring;
  if (change.relationTypes !== undefined) params['rel'] = textOf(change.relationTypes);
  if ('entityType' in change) params['type'] = change.entityType;
  if (change.showsEnded !== undefined) params['ended'] = change.showsEnded ? '1' : undefined;
  if ('since' in change) params['since'] = change.since;
  if ('until' in change) params['until'] = change.until;
  return params;
}

function textOf(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : formatNames(names);
}

function whole(text: string | undefined, least: number, most: number): number | undefined {
  const value = Number(text);
  return text === undefined || !Number.isInteger(value) ? undefined : Math.min(most, Math.max(least, value));
}
