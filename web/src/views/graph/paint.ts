import Graph from 'graphology';
import louvain from 'graphology-communities-louvain';
import { colorAt, statusRanks, typeRanks } from '../../parts/type-color.ts';
import { counts, type ShownGraph, type ShownNode } from './model.ts';
import type { Coloring } from './wish.ts';

/** A line of the legend. */
export interface LegendEntry {
  readonly word: string;
  readonly color: string;
  readonly count: number;
}

/** The colour of each node and what it means. */
export interface Paint {
  readonly colorOf: (node: ShownNode) => string;
  readonly legend: readonly LegendEntry[];
}

const SIZE_MIN = 3;
const SIZE_MAX = 14;
/** So many nodes are drawn in full size. */
const FULL_SIZE_NODES = 150;
const COMMUNITIES_SHOWN = 8;

export function paintOf(graph: ShownGraph, coloring: Coloring, shown: 'light' | 'dark'): Paint {
  if (coloring === 'community') return byCommunity(graph, shown);
  const wordOf = (node: ShownNode): string => (coloring === 'type' ? node.type : node.status);
  const { colorOf } = coloring === 'type' ? typeRanks : statusRanks;
  const legend = counts(graph.nodes.map(wordOf)).map((entry) => ({ ...entry, color: colorOf(entry.word, shown) }));
  return { colorOf: (node) => colorOf(wordOf(node), shown), legend };
}

/** More nodes are drawn smaller, so that they do not cover each other: what to multiply sizes with. */
export function shrinkOf(count: number): number {
  return Math.min(1, (FULL_SIZE_NODES / Math.max(1, count)) ** 0.2);
}

/** Size by use; what was never used has the size of its relations. */
export function sizeOf({ accessCount, relations }: ShownNode): number {
  return Math.min(SIZE_MAX, SIZE_MIN + 1.3 * Math.log2(1 + accessCount) + 0.5 * Math.log2(1 + relations));
}

function byCommunity(shownNow: ShownGraph, shown: 'light' | 'dark'): Paint {
  const graph = new Graph({ type: 'undirected', multi: false });
  for (const { key } of shownNow.nodes) graph.addNode(key);
  for (const { from, to } of shownNow.edges) if (!graph.hasEdge(from, to)) graph.addEdge(from, to);
  const communityOf = graph.size === 0 ? {} : louvain(graph, { rng: fixedRandom() });
  const named = (node: ShownNode): string => String(communityOf[node.key] ?? 'none');
  const ranked = counts(shownNow.nodes.map(named));
  const place = new Map(ranked.map(({ word }, index) => [word, index]));
  const hubOf = new Map<string, ShownNode>();
  for (const node of shownNow.nodes) {
    const hub = hubOf.get(named(node));
    if (hub === undefined || node.relations > hub.relations) hubOf.set(named(node), node);
  }
  return {
    colorOf: (node) => colorAt(place.get(named(node)) ?? 0, shown),
    legend: ranked.slice(0, COMMUNITIES_SHOWN).map(({ word, count }, index) => ({
      word: `around ${hubOf.get(word)?.name ?? word}`,
      count,
      color: colorAt(index, shown),
    })),
  };
}

/** The same communities each time. */
function fixedRandom(): () => number {
  let state = 0x2545f491;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
