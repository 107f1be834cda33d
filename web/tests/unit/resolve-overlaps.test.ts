import { expect, it } from 'vitest';
import { resolveOverlaps, type Scale } from '../../src/views/graph/resolve-overlaps.ts';

/** A stage of a thousand pixels. */
const scaleOf: Scale = (width, height) => 1000 / Math.max(width, height);
const sizes = Array.from({ length: 120 }, (_, index) => 4 + (index % 5) * 2);
/** A spiral that is dense in the middle. */
const dense = Float32Array.from(
  sizes.flatMap((_, index) => [Math.cos(index * 2.4) * (index / 40) ** 3, Math.sin(index * 2.4) * (index / 40) ** 3]),
);

/** The number of overlapping pairs, as drawn. */
function overlaps(laid: Float32Array): number {
  const at = (first: number) => [...laid].filter((_, index) => index % 2 === first);
  const [xs, ys] = [at(0), at(1)];
  const scale = scaleOf(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  return sizes.flatMap((size, one) =>
    sizes
      .slice(0, one)
      .filter(
        (other, two) =>
          Math.hypot((xs[one] ?? 0) - (xs[two] ?? 0), (ys[one] ?? 0) - (ys[two] ?? 0)) * scale < size + other,
      ),
  ).length;
}

it('overlapping nodes are separated deterministically', () => {
  expect(overlaps(dense)).toBeGreaterThan(50);
  const found = resolveOverlaps(dense, sizes, scaleOf);
  expect(overlaps(found)).toBe(0);
  expect(resolveOverlaps(dense, sizes, scaleOf)).toEqual(found);
});

it('nodes without overlaps stay in place, and an empty list is accepted', () => {
  const apart = Float32Array.from([0, 0, 10, 10]);
  expect(resolveOverlaps(apart, [5, 5], scaleOf)).toEqual(apart);
  expect(resolveOverlaps(new Float32Array(), [], scaleOf)).toEqual(new Float32Array());
});

it('coincident nodes are separated', () => {
  const [, , x = 0, y = 0, u = 0, v = 0] = resolveOverlaps(
    Float32Array.from([0, 0, 100, 100, 100, 100]),
    [5, 5, 5],
    scaleOf,
  );
  expect(Math.hypot(x - u, y - v) * 10).toBeGreaterThan(9);
});
