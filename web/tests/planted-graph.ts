/**
 * A graph with planted communities, the same each time: each has a hub, most edges are within a community, a few
 * between two.
 */
import { seededRandom } from 'limbic-shell/seeded-random.ts';

export interface PlantedNode {
  readonly name: string;
  readonly type: string;
  readonly community: number;
}

export interface PlantedGraph {
  readonly nodes: readonly PlantedNode[];
  /** Indexes of both ends, each pair once. */
  readonly edges: readonly (readonly [number, number])[];
}

const TOPICS = ['Billing', 'Search', 'Firmware', 'Onboarding', 'Gateway', 'Reports', 'Warehouse', 'Identity'] as const;
const TYPES = ['Service', 'Decision', 'Person', 'Incident', 'Library', 'Meeting', 'Document'] as const;
/** Edges within a community for each of its nodes, beyond the tree that holds it together. */
const INNER_EDGES = 1.5;
/** Edges that lead to another community, for each node. */
const OUTER_EDGES = 0.6;

/** `communities` of unequal size, which hold `order` nodes together. */
export function plantedGraph(order: number, communities: number = TOPICS.length): PlantedGraph {
  const random = seededRandom(order);
  const weights = Array.from({ length: communities }, (_, index) => 1 / (1 + index / 3));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const bounds = weights.map((_, index) =>
    Math.round((order * weights.slice(0, index + 1).reduce((sum, weight) => sum + weight, 0)) / whole),
  );
  const nodes = Array.from({ length: order }, (_, index): PlantedNode => {
    const community = bounds.findIndex((bound) => index < bound);
    const type = TYPES[(index * 5) % TYPES.length] ?? 'Service';
    const topic = `${TOPICS[community % TOPICS.length]}${community < TOPICS.length ? '' : ` ${community}`}`;
    const isHub = index === 0 || index === bounds[community - 1];
    return { name: isHub ? `${topic} platform` : `${topic} ${type.toLowerCase()} ${index}`, type, community };
  });
  const edges = new Map<string, readonly [number, number]>();
  const connect = (from: number, to: number): void => {
    if (from !== to && !edges.has(`${to}>${from}`)) edges.set(`${from}>${to}`, [from, to]);
  };
  bounds.forEach((end, community) => {
    const start = bounds[community - 1] ?? 0;
    const size = end - start;
    // The lower a number, the more edges it gets: the first is the hub.
    const any = (): number => start + Math.floor(random() ** 2.5 * size);
    for (let index = start + 1; index < end; index += 1)
      connect(index, start + Math.floor(random() ** 2 * (index - start)));
    for (let count = 0; count < size * INNER_EDGES; count += 1) connect(start + Math.floor(random() * size), any());
    for (let count = 0; count < size * OUTER_EDGES; count += 1) connect(any(), Math.floor(random() * order));
  });
  return { nodes, edges: [...edges.values()] };
}
