import Graph from 'graphology';
import louvain from 'graphology-communities-louvain';
import { seededRandom } from 'limbic-shell/seeded-random.ts';
import { colorAt } from '../../components/type-color.ts';
import { counts, type ShownEdge, type ShownGraph, type ShownNode } from './model.ts';
import type { Paint } from './paint.ts';

/** The part of a graph that determines its communities. */
interface ShownKeys {
  readonly nodes: readonly Pick<ShownNode, 'key'>[];
  readonly edges: readonly Pick<ShownEdge, 'from' | 'to'>[];
}

/** The number of each node's community, found by the Louvain method; the same each time. Without edges, none. */
export function communitiesOf({ nodes, edges }: ShownKeys): Readonly<Record<string, number>> {
  const graph = new Graph({ type: 'undirected', multi: false });
  for (const { key } of nodes) graph.addNode(key);
  for (const { from, to } of edges) if (!graph.hasEdge(from, to)) graph.addEdge(from, to);
  return graph.size === 0 ? {} : louvain(graph, { rng: seededRandom(0x2545f491) });
}

/** Colours nodes by community. Each community is named after its hub. */
export function byCommunity(shownNow: ShownGraph, shown: 'light' | 'dark'): Paint {
  const communityOf = communitiesOf(shownNow);
  const named = (node: ShownNode): string => String(communityOf[node.key] ?? 'none');
  const ranked = counts(shownNow.nodes.map(named));
  const indices = new Map(ranked.map(({ word }, index) => [word, index]));
  const hubOf = new Map<string, ShownNode>();
  for (const node of shownNow.nodes) {
    const hub = hubOf.get(named(node));
    if (hub === undefined || node.relations > hub.relations) hubOf.set(named(node), node);
  }
  return {
    colorOf: (node) => colorAt(indices.get(named(node)) ?? 0, shown),
    legend: ranked.map(({ word, count }, index) => ({
      word: `around ${hubOf.get(word)?.name ?? word}`,
      count,
      color: colorAt(index, shown),
    })),
  };
}
