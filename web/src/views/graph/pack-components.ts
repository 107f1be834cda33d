/** Minimum distance of components, as a share of the largest one's radius. */
const MIN_GAP_SHARE = 0.04;
/** Space between components, relative to their own area. */
const ROOM = 2.5;

interface Part {
  x: number;
  y: number;
  count: number;
  /** Its radius around the centre. */
  radius: number;
}

/**
 * Moves the smaller components of a graph close to the largest one: each as a whole, in its direction, as far as there
 * is space. Positions are x and y in turns; `parts` has the component of each node.
 */
export function packComponents(laid: Float32Array, parts: Int32Array): Float32Array {
  const all = componentPartsOf(laid, parts);
  const [largest] = [...all].sort((a, b) => b.count - a.count);
  if (largest === undefined || all.length === 1) return laid;
  const gap = largest.radius * MIN_GAP_SHARE;
  const others = all.filter((part) => part !== largest);
  const edge = (part: Part): number =>
    Math.max(0, Math.hypot(part.x - largest.x, part.y - largest.y) - largest.radius - part.radius);
  const room = others.reduce((sum, { radius }) => sum + (radius + gap) ** 2, 0);
  const reach = Math.sqrt(largest.radius ** 2 + ROOM * room) - largest.radius + gap;
  const farthest = Math.max(...others.map(edge));
  if (farthest <= reach) return laid;
  const shift = all.map((part) => {
    const away = edge(part);
    const far = Math.hypot(part.x - largest.x, part.y - largest.y);
    const back =
      part === largest || far === 0 || away === 0 ? 0 : (away - (gap + (away * (reach - gap)) / farthest)) / far;
    return { x: -(part.x - largest.x) * Math.max(0, back), y: -(part.y - largest.y) * Math.max(0, back) };
  });
  return laid.map((value, at) => {
    const { x = 0, y = 0 } = shift[parts[at >> 1] ?? 0] ?? {};
    return value + (at % 2 === 0 ? x : y);
  });
}

function componentPartsOf(laid: Float32Array, parts: Int32Array): readonly Part[] {
  const all: Part[] = [];
  parts.forEach((number, index) => {
    const part = (all[number] ??= { x: 0, y: 0, count: 0, radius: 0 });
    part.x += laid[index * 2] ?? 0;
    part.y += laid[index * 2 + 1] ?? 0;
    part.count += 1;
  });
  for (const part of all) {
    part.x /= part.count;
    part.y /= part.count;
  }
  parts.forEach((number, index) => {
    const part = all[number];
    if (part !== undefined)
      part.radius = Math.max(
        part.radius,
        Math.hypot((laid[index * 2] ?? 0) - part.x, (laid[index * 2 + 1] ?? 0) - part.y),
      );
  });
  return all;
}
