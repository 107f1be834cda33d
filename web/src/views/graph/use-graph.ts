import { useMemo } from 'react';
import type { Input, Output, ToolError } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { type ShownGraph, shownGraph } from './model.ts';
import { drawable, type GraphUrlState } from './graph-url-state.ts';

type Slice = Output<'explore_graph'>;
type Asked = Input<'explore_graph'>;

export interface GraphState {
  readonly graph: ShownGraph;
  readonly totals: Slice['totals'] | undefined;
  /** The number of matching records that are not shown. */
  readonly omitted: number;
  /** Unknown names and ids. */
  readonly unknown: readonly string[];
  readonly error: ToolError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Maximum number of records around a focus, and of neighbours of a record. */
const MAX_AROUND = 300;
const MAX_NEIGHBOURS = 40;
/** Maximum number of names and of ids per call. */
const MAX_NAMES = 1000;

/** Fetches the graph of the address. `domain` selects the domain of memories; default: all. */
export function useGraph(urlState: GraphUrlState, domain: string | undefined): GraphState {
  const hasMemories = urlState.shows !== 'entities';
  const filter = {
    show: hasMemories ? urlState.shows : undefined,
    domain: hasMemories ? domain : undefined,
    relation_types: urlState.relationTypes.length === 0 ? undefined : [...urlState.relationTypes],
    entity_type: urlState.entityType,
    include_ended: urlState.showsEnded,
    since: urlState.since,
    until: urlState.until,
  };
  const starts = startsOf(urlState, urlState.focus, urlState.focusMemories);
  const opened = startsOf(urlState, urlState.open, urlState.openMemories);
  const around: Asked | undefined =
    starts !== undefined
      ? { ...filter, ...starts, depth: urlState.depth, limit: MAX_AROUND, neighbours_max: MAX_NEIGHBOURS }
      : urlState.most !== undefined
        ? { ...filter, limit: urlState.most }
        : undefined;
  const first = useTool('explore_graph', around);
  const second = useTool(
    'explore_graph',
    opened === undefined || around === undefined
      ? undefined
      : { ...filter, ...opened, depth: 1, limit: MAX_NAMES, neighbours_max: MAX_NEIGHBOURS },
  );
  // Relations between records of the two answers.
  const between = useTool('explore_graph', bridge(urlState, first.data, second.data, filter));
  const { shows, hidden, hiddenMemories, focus, focusMemories } = urlState;
  const chosen = JSON.stringify({ shows, hidden, hiddenMemories, focus, focusMemories });
  const graph = useMemo(() => {
    const slices = [first.data, second.data, between.data].filter((slice) => slice !== undefined);
    return shownGraph(slices, urlState);
  }, [first.data, second.data, between.data, chosen]);
  return {
    graph,
    totals: first.data?.totals,
    omitted: (first.data?.omitted.nodes ?? 0) + (first.data?.omitted.memories ?? 0),
    unknown: first.data?.unknown ?? [],
    error: first.error ?? second.error ?? between.error,
    isLoading: first.isLoading || second.isLoading,
    reload: () => {
      first.reload();
      second.reload();
      between.reload();
    },
  };
}

/** The starting records, if their kind is shown. */
function startsOf(
  urlState: GraphUrlState,
  ofEntities: readonly string[],
  ofMemories: readonly string[],
): Pick<Asked, 'names' | 'memory_ids'> | undefined {
  const { names, ids } = drawable(urlState.shows, ofEntities, ofMemories);
  if (names.length + ids.length === 0) return undefined;
  return { names: names.length === 0 ? undefined : [...names], memory_ids: ids.length === 0 ? undefined : [...ids] };
}

function bridge(
  urlState: GraphUrlState,
  first: Slice | undefined,
  opened: Slice | undefined,
  filter: Asked,
): Asked | undefined {
  if (first === undefined || opened === undefined) return undefined;
  const names = new Set([...first.nodes, ...opened.nodes].map(({ name }) => name));
  const ids = new Set([...first.memories, ...opened.memories].map(({ id }) => id));
  if (names.size === first.nodes.length && ids.size === first.memories.length) return undefined;
  const starts = startsOf(urlState, [...names].slice(0, MAX_NAMES), [...ids].slice(0, MAX_NAMES));
  return { ...filter, ...starts, depth: 0, limit: MAX_NAMES * 2 };
}
