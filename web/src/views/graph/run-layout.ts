import iterate from 'graphology-layout-forceatlas2/iterate.js';
import { startAtCommunities } from './community-start.ts';
import { type FromLayout, NODE_FIELDS, type ToLayout } from './layout-messages.ts';

/** Time limit of the layout. */
const MAX_MILLIS = 6000;
/** Interval of position messages; longer for many nodes. */
const POSITIONS_MILLIS = 60;
const POSITIONS_MANY_MILLIS = 400;
const MANY_NODES = 2000;
/** The layout has converged when nodes move by less than this share of the picture's width per step, on average. */
const CONVERGED_SHARE = 0.0004;
const CONVERGED_STEPS = 10;
/** Maximum number of steps. */
const MAX_STEPS = 600;
/** Above this number of nodes, repulsion uses the Barnes-Hut approximation. */
const REGIONS_NODES = 400;

/** Gravity towards the centre: at least this, plus one for each `GRAVITY_NODES` nodes. */
const MIN_GRAVITY = 0.4;
const GRAVITY_NODES = 2000;

/**
 * Runs the layout until it converges, and posts positions meanwhile.
 *
 * The energy model is LinLog (Noack, "Energy models for graph clustering", 2007), in which the distance of two
 * communities grows as the density of edges between them falls; ForceAtlas2 minimises it.
 *
 * Yields after each `sliceMillis`, or whenever it posts positions. Ends when the layout is cancelled.
 */
export async function runLayout(
  task: ToLayout,
  send: (message: FromLayout) => void,
  isWanted: () => boolean,
  sliceMillis = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { nodes, edges, id } = task;
  const order = nodes.length / NODE_FIELDS;
  if (task.startsAnew) startAtCommunities(task);
  const settings = {
    linLogMode: true,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 0.5,
    strongGravityMode: false,
    // Components must not drift so far apart that the picture becomes small.
    gravity: MIN_GRAVITY + order / GRAVITY_NODES,
    slowDown: 1 + Math.log(order + 1),
    barnesHutOptimize: order > REGIONS_NODES,
    barnesHutTheta: 0.8,
  };
  const pauseMillis = order > MANY_NODES ? POSITIONS_MANY_MILLIS : POSITIONS_MILLIS;
  const startMillis = performance.now();
  let sentMillis = startMillis;
  let restedMillis = startMillis;
  for (let calm = 0, steps = 0; calm < CONVERGED_STEPS && steps < MAX_STEPS; steps += 1) {
    const before = positions(nodes);
    iterate(settings, nodes, edges);
    calm = movedShare(before, nodes) < CONVERGED_SHARE ? calm + 1 : 0;
    const nowMillis = performance.now();
    if (nowMillis - startMillis > MAX_MILLIS) break;
    const isDue = nowMillis - sentMillis >= pauseMillis;
    if (isDue) {
      sentMillis = nowMillis;
      send({ id, positions: positions(nodes), isDone: false });
    }
    if (!isDue && nowMillis - restedMillis < sliceMillis) continue;
    // Another layout may have been requested.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (!isWanted()) return;
    restedMillis = performance.now();
  }
  send({ id, positions: positions(nodes), isDone: true });
}

function positions(nodes: Float32Array): Float32Array<ArrayBuffer> {
  const order = nodes.length / NODE_FIELDS;
  const found = new Float32Array(order * 2);
  for (let index = 0; index < order; index += 1) {
    found[index * 2] = nodes[index * NODE_FIELDS] ?? 0;
    found[index * 2 + 1] = nodes[index * NODE_FIELDS + 1] ?? 0;
  }
  return found;
}

/** How far nodes moved on average, as a share of the picture's width. */
function movedShare(before: Float32Array, nodes: Float32Array): number {
  let moved = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  const order = before.length / 2;
  for (let index = 0; index < order; index += 1) {
    const x = nodes[index * NODE_FIELDS] ?? 0;
    const y = nodes[index * NODE_FIELDS + 1] ?? 0;
    moved += Math.hypot(x - (before[index * 2] ?? 0), y - (before[index * 2 + 1] ?? 0));
    min = Math.min(min, x);
    max = Math.max(max, x);
  }
  return moved / order / Math.max(1, max - min);
}
