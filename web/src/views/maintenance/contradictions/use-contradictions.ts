import { useMemo } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import type { LinkRow } from '../../../source/explorer-tools.ts';
import { type ToolState, useTool } from '../../../source/use-tool.ts';
import { type Pair, type PairType, pairsOf } from './pairs.ts';

/** Maximum number of links, limited by the call that fetches their memories. */
const MAX_LINKS = 500;

interface Contradictions extends Pick<ToolState<unknown>, 'error' | 'reload'> {
  /** `undefined` while loading. */
  readonly pairs: readonly Pair[] | undefined;
  /** Number of links beyond `MAX_LINKS`. */
  readonly omitted: number;
}

/** Pairs of memories of the selected domain that contradict each other. */
export function useContradictions(type: PairType): Contradictions {
  const { domain } = useRoute().route;
  const links = useTool('explore_records', {
    kind: 'links',
    filter: { type },
    status: 'link',
    domain,
    sort: 'created_at',
    descending: true,
    limit: MAX_LINKS,
  });
  const rows = links.data?.rows as readonly LinkRow[] | undefined;
  const ids = [...new Set((rows ?? []).flatMap(({ from_id: from, to_id: to }) => [from, to]))].sort();
  const known = useTool(
    'explore_graph',
    ids.length === 0
      ? undefined
      : { show: 'memories', memory_ids: ids, depth: 0, limit: ids.length, include_ended: true },
  );
  const pairs = useMemo(() => {
    if (rows === undefined || (rows.length > 0 && known.data === undefined)) return undefined;
    return pairsOf(rows, rows.length === 0 ? [] : (known.data?.memories ?? []), type);
  }, [rows, known.data, type]);
  return {
    pairs,
    omitted: (links.data?.total ?? 0) - (rows?.length ?? 0),
    error: links.error ?? known.error,
    reload: () => {
      links.reload();
      known.reload();
    },
  };
}
