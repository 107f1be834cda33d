import { useMemo } from 'react';
import type { Input, Output, ToolError } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { type ShownGraph, shownGraph } from './model.ts';
import type { Wish } from './wish.ts';

type Slice = Output<'explore_graph'>;

export interface GraphState {
  readonly graph: ShownGraph;
  readonly totals: Slice['totals'] | undefined;
  /** How many entities fit and are not shown. */
  readonly omitted: number;
  readonly unknown: readonly string[];
  readonly error: ToolError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** So many entities are fetched around a focus, and so many neighbours of one entity. */
const AROUND_MAX = 300;
const NEIGHBOURS_MAX = 40;
/** As many names as a call takes. */
const NAMES_MAX = 1000;

/** Fetches what the address asks for. */
export function useGraph(wish: Wish): GraphState {
  const filter = {
    relation_types: wish.relationTypes.length === 0 ? undefined : [...wish.relationTypes],
    entity_type: wish.entityType,
    include_ended: wish.showsEnded,
    since: wish.since,
    until: wish.until,
  };
  const isAll = wish.focus.length === 0 && wish.most !== undefined;
  const around: Input<'explore_graph'> | undefined = isAll
    ? { ...filter, limit: wish.most }
    : wish.focus.length === 0
      ? undefined
      : { ...filter, names: [...wish.focus], depth: wish.depth, limit: AROUND_MAX, neighbours_max: NEIGHBOURS_MAX };
  const first = useTool('explore_graph', around);
  const opened = useTool(
    'explore_graph',
    wish.open.length === 0 || around === undefined
      ? undefined
      : { ...filter, names: [...wish.open], depth: 1, limit: NAMES_MAX, neighbours_max: NEIGHBOURS_MAX },
  );
  // Relations between what the two answers hold apart.
  const between = useTool('explore_graph', bridge(first.data, opened.data, filter));
  const graph = useMemo(() => {
    const slices = [first.data, opened.data, between.data].filter((slice) => slice !== undefined);
    return shownGraph(slices, new Set(wish.hidden), new Set(wish.focus));
  }, [first.data, opened.data, between.data, wish.hidden.join('\n'), wish.focus.join('\n')]);
  return {
    graph,
    totals: first.data?.totals,
    omitted: first.data?.omitted.nodes ?? 0,
    unknown: first.data?.unknown ?? [],
    error: first.error ?? opened.error,
    isLoading: first.isLoading || opened.isLoading,
    reload: first.reload,
  };
}

function bridge(first: Slice | undefined, opened: Slice | undefined, filter: Input<'explore_graph'>): Input<'explore_graph'> | undefined {
  if (first === undefined || opened === undefined) return undefined;
  const names = new Set([...first.nodes, ...opened.nodes].map(({ name }) => name));
  if (names.size === first.nodes.length) return undefined;
  return { ...filter, names: [...names].slice(0, NAMES_MAX), depth: 0, limit: NAMES_MAX };
}
