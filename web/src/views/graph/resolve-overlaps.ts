import { forceCollide, type SimulationNodeDatum } from 'd3-force';

interface Disc extends Required<Pick<SimulationNodeDatum, 'index' | 'x' | 'y' | 'vx' | 'vy'>> {
  readonly radius: number;
}

/** Space around each node, in screen pixels. */
const MARGIN = 2;
const MAX_STEPS = 100;
/** A step that moves a node by less is converged. */
const REST_PIXELS = 0.05;
const GOLDEN = 0.618034;
/** Rounds of rescaling: resolving overlaps enlarges the picture, which is then drawn smaller. */
const MAX_ROUNDS = 4;

/** Screen pixels per unit in a picture of this extent. */
export type Scale = (width: number, height: number) => number;

/** Moves overlapping nodes apart: `laid` has x and y of each, `sizes` their radius in screen pixels. */
export function resolveOverlaps(laid: Float32Array, sizes: readonly number[], scaleOf: Scale): Float32Array {
  const steps = resolveOverlapsInSteps(laid, sizes, scaleOf);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link resolveOverlaps}, in steps between which other code can run. Returns the positions at the end. */
export function* resolveOverlapsInSteps(
  laid: Float32Array,
  sizes: readonly number[],
  scaleOf: Scale,
): Generator<undefined, Float32Array, undefined> {
  const found = Float32Array.from(laid);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const scale = scaleOf(extent(found, 0), extent(found, 1));
    if (!Number.isFinite(scale) || scale <= 0) break;
    const discs = sizes.map(
      (size, index): Disc => ({
        index,
        x: (found[index * 2] ?? 0) * scale,
        y: (found[index * 2 + 1] ?? 0) * scale,
        vx: 0,
        vy: 0,
        radius: size + MARGIN,
      }),
    );
    if (!(yield* push(discs))) break;
    discs.forEach(({ x, y }, index) => found.set([x / scale, y / scale], index * 2));
  }
  return found;
}

/** Resolves collisions of discs. Returns whether any disc moved. */
function* push(discs: readonly Disc[]): Generator<undefined, boolean, undefined> {
  const collide = forceCollide<Disc>(({ radius }) => radius);
  // Coincident nodes are separated by a seeded random offset.
  let chance = 0;
  collide.initialize?.([...discs], () => (chance = (chance + GOLDEN) % 1));
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    collide(1);
    let max = 0;
    for (const disc of discs) {
      disc.x += disc.vx;
      disc.y += disc.vy;
      max = Math.max(max, Math.abs(disc.vx), Math.abs(disc.vy));
      disc.vx = 0;
      disc.vy = 0;
    }
    if (max < REST_PIXELS) return steps > 0;
    yield;
  }
  return true;
}

function extent(laid: Float32Array, first: 0 | 1): number {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = first; at < laid.length; at += 2) {
    min = Math.min(min, laid[at] ?? 0);
    max = Math.max(max, laid[at] ?? 0);
  }
  return max - min;
}
