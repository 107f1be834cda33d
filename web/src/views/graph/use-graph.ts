import { useMemo } from 'react';
import type { Input, Output, ToolError } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { type ShownGraph, shownGraph } from './model.ts';
import { drawable, type Wish } from './graph-url-state.ts';

type Slice = Output<'explore_graph'>;
type Asked = Input<'explore_graph'>;

export interface GraphState {
  readonly graph: ShownGraph;
  readonly totals: Slice['totals'] | undefined;
  /** How many records fit and are not shown. */
  readonly omitted: number;
  /** Names and ids that nothing has. */
  readonly unknown: readonly string[];
  readonly error: ToolError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** So many records are fetched around a focus, and so many neighbours of one. */
const AROUND_MAX = 300;
const NEIGHBOURS_MAX = 40;
/** As many names as a call takes, and as many ids. */
const NAMES_MAX = 1000;

/** Fetches what the address asks for. `domain` is that of the memories; without one, all. */
export function useGraph(wish: Wish, domain: string | undefined): GraphState {
  const hasMemories = wish.shows !== 'entities';
  const filter = {
    show: hasMemories ? wish.shows : undefined,
    domain: hasMemories ? domain : undefined,
    relation_types: wish.relationTypes.length === 0 ? undefined : [...wish.relationTypes],
    entity_type: wish.entityType,
    include_ended: wish.showsEnded,
    since: wish.since,
    until: wish.until,
  };
  const starts = startsOf(wish, wish.focus, wish.focusMemories);
  const opened = startsOf(wish, wish.open, wish.openMemories);
  const around: Asked | undefined =
    starts !== undefined
      ? { ...filter, ...starts, depth: wish.depth, limit: AROUND_MAX, neighbours_max: NEIGHBOURS_MAX }
      : wish.most !== undefined
        ? { ...filter, limit: wish.most }
        : undefined;
  const first = useTool('explore_graph', around);
  const second = useTool(
    'explore_graph',
    opened === undefined || around === undefined
      ? undefined
      : { ...filter, ...opened, depth: 1, limit: NAMES_MAX, neighbours_max: NEIGHBOURS_MAX },
  );
  // Relations between what the two answers hold apart.
  const between = useTool('explore_graph', bridge(wish, first.data, second.data, filter));
  const { shows, hidden, hiddenMemories, focus, focusMemories } = wish;
  const chosen = JSON.stringify({ shows, hidden, hiddenMemories, focus, focusMemories });
  const graph = useMemo(() => {
    const slices = [first.data, second.data, between.data].filter((slice) => slice !== undefined);
    return shownGraph(slices, wish);
  }, [first.data, second.data, between.data, chosen]);
  return {
    graph,
    totals: first.data?.totals,
    omitted: (first.data?.omitted.nodes ?? 0) + (first.data?.omitted.memories ?? 0),
    unknown: first.data?.unknown ?? [],
    error: first.error ?? second.error ?? between.error,
    isLoading: first.isLoading || second.isLoading,
    reload: first.reload,
  };
}

/** Where to start from, as far as that is drawn at all. */
function startsOf(
  wish: Wish,
  ofEntities: readonly string[],
  ofMemories: readonly string[],
): Pick<Asked, 'names' | 'memory_ids'> | undefined {
  const { names, ids } = drawable(wish.shows, ofEntities, ofMemories);
  if (names.length + ids.length === 0) return undefined;
  return { names: names.length === 0 ? undefined : [...names], memory_ids: ids.length === 0 ? undefined : [...ids] };
}

function bridge(wish: Wish, first: Slice | undefined, opened: Slice | undefined, filter: Asked): Asked | undefined {
  if (first === undefined || opened === undefined) return undefined;
  const names = new Set([...first.nodes, ...opened.nodes].map(({ name }) => name));
  const ids = new Set([...first.memories, ...opened.memories].map(({ id }) => id));
  if (names.size === first.nodes.length && ids.size === first.memories.length) return undefined;
  const starts = startsOf(wish, [...names].slice(0, NAMES_MAX), [...ids].slice(0, NAMES_MAX));
  return { ...filter, ...starts, depth: 0, limit: NAMES_MAX * 2 };
}
