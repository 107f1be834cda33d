import iterate from 'graphology-layout-forceatlas2/iterate.js';
import {
  EDGE_FIELDS,
  NODE_CONVERGENCE,
  NODE_FIELDS,
  NODE_FIXED,
  NODE_MASS,
  NODE_SIZE,
  type ToLayout,
} from './layout-messages.ts';

const STEPS = 300;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Distance between two communities before the first step. */
const START_DISTANCE = 20;
/** Radius of a disc of all nodes, as a share of the picture's radius. */
const SPREAD = 0.35;
/** Distance between two nodes of a community, at least. */
const MIN_DISTANCE = 1;

/**
 * Moves the nodes of `task` to their start positions: the members of a community on a disc around its centre. The
 * centres are laid out by ForceAtlas2 on the graph of communities, weighted by the number of edges between two of them.
 */
export function startAtCommunities({ nodes, edges, communities }: ToLayout): void {
  const count = communities.reduce((max, community) => Math.max(max, community + 1), 0);
  const sizes = new Int32Array(count);
  for (const community of communities) sizes[community] = (sizes[community] ?? 0) + 1;
  const centres = new Float32Array(count * NODE_FIELDS);
  sizes.forEach((size, community) => {
    const offset = community * NODE_FIELDS;
    [centres[offset], centres[offset + 1]] = spiral(community, START_DISTANCE);
    centres[offset + NODE_MASS] = size;
    centres[offset + NODE_CONVERGENCE] = 1;
    centres[offset + NODE_SIZE] = 1;
  });
  const bridges = bridgesOf(edges, communities, count);
  for (let step = 0; step < STEPS && count > 1; step += 1) iterate(SETTINGS, centres, bridges);
  let radius = START_DISTANCE;
  for (let offset = 0; offset < centres.length; offset += NODE_FIELDS)
    radius = Math.max(radius, Math.hypot(centres[offset] ?? 0, centres[offset + 1] ?? 0));
  const distance = Math.max(MIN_DISTANCE, (radius * SPREAD) / Math.sqrt(communities.length));
  const placed = new Int32Array(count);
  communities.forEach((community, index) => {
    const offset = index * NODE_FIELDS;
    if (nodes[offset + NODE_FIXED] === 1) return;
    const [x, y] = spiral(placed[community] ?? 0, distance);
    placed[community] = (placed[community] ?? 0) + 1;
    nodes[offset] = (centres[community * NODE_FIELDS] ?? 0) + x;
    nodes[offset + 1] = (centres[community * NODE_FIELDS + 1] ?? 0) + y;
  });
}

const SETTINGS = {
  linLogMode: false,
  outboundAttractionDistribution: false,
  adjustSizes: false,
  edgeWeightInfluence: 1,
  scalingRatio: 2,
  strongGravityMode: false,
  gravity: 1,
  slowDown: 2,
  barnesHutOptimize: false,
  barnesHutTheta: 0.5,
};

/** One edge for each two communities that are joined; its weight is the number of edges between them. */
function bridgesOf(edges: Float32Array, communities: Int32Array, count: number): Float32Array {
  const weights = new Map<number, number>();
  for (let offset = 0; offset < edges.length; offset += EDGE_FIELDS) {
    const [one, other] = [0, 1].map((end) => communities[(edges[offset + end] ?? 0) / NODE_FIELDS] ?? 0);
    if (one === undefined || other === undefined || one === other) continue;
    const pair = Math.min(one, other) * count + Math.max(one, other);
    weights.set(pair, (weights.get(pair) ?? 0) + 1);
  }
  return Float32Array.from(
    [...weights].flatMap(([pair, weight]) => [
      Math.floor(pair / count) * NODE_FIELDS,
      (pair % count) * NODE_FIELDS,
      weight,
    ]),
  );
}

/** The point of this index on a spiral that fills a disc evenly. */
function spiral(index: number, distance: number): readonly [number, number] {
  const radius = distance * Math.sqrt(index);
  return [Math.cos(index * GOLDEN_ANGLE) * radius, Math.sin(index * GOLDEN_ANGLE) * radius];
}
