/** Distance of rings from the graph and from each other, as a share of its radius. */
const GAP_SHARE = 0.05;
/** Nodes of a graph this large stand this share of its radius apart, over the root of their number. */
const APART_SHARE = 1.8;
/** Maximum area of the rings, as a multiple of the graph's area. */
const MAX_ROOM = 2.5;
/** The radius of a graph of one node, and of none. */
const MIN_RADIUS = 20;

/**
 * Positions of nodes without edges: rings close around the others, so that they neither drift away, which would make
 * the rest small, nor lie between connected nodes. Positions are x and y in turns.
 */
export function isolatePositions(laid: Float32Array, count: number): Float32Array {
  const { x, y, radius } = discOf(laid);
  const order = Math.max(1, laid.length / 2);
  const apart = Math.min(
    (radius * APART_SHARE) / Math.sqrt(order),
    radius * Math.sqrt((MAX_ROOM * Math.PI) / Math.max(1, count)),
  );
  const gap = Math.max(apart, radius * GAP_SHARE);
  const positions = new Float32Array(count * 2);
  let ring = laid.length === 0 ? 0 : radius + gap;
  for (let placed = 0; placed < count; ring += apart) {
    const here = Math.min(count - placed, Math.max(1, Math.floor((2 * Math.PI * ring) / apart)));
    for (let index = 0; index < here; index += 1) {
      const turn = (index / here) * 2 * Math.PI + Math.PI / 4;
      positions[(placed + index) * 2] = x + Math.cos(turn) * ring;
      positions[(placed + index) * 2 + 1] = y + Math.sin(turn) * ring;
    }
    placed += here;
  }
  return positions;
}

/** The centre and the radius of a layout. */
function discOf(laid: Float32Array): { readonly x: number; readonly y: number; readonly radius: number } {
  const order = Math.max(1, laid.length / 2);
  let [x, y, radius] = [0, 0, MIN_RADIUS];
  for (let at = 0; at < laid.length; at += 2) {
    x += (laid[at] ?? 0) / order;
    y += (laid[at + 1] ?? 0) / order;
  }
  for (let at = 0; at < laid.length; at += 2)
    radius = Math.max(radius, Math.hypot((laid[at] ?? 0) - x, (laid[at + 1] ?? 0) - y));
  return { x, y, radius };
}
