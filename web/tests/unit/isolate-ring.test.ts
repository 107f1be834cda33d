import { describe, expect, it } from 'vitest';
import { isolatePositions } from '../../src/views/graph/isolate-ring.ts';

type Point = readonly [number, number];

const MIDDLE: Point = [50, -20];
const RADIUS = 100;

/** Returns the positions of `count` nodes on a disc. */
function disc(count: number): Float32Array {
  const points = Array.from({ length: count }, (_, index) => {
    const [reach, turn] = [RADIUS * Math.sqrt(index / count), index * 2.4];
    return [MIDDLE[0] + reach * Math.cos(turn), MIDDLE[1] + reach * Math.sin(turn)];
  });
  return new Float32Array(points.flat());
}

const points = (places: Float32Array): Point[] =>
  Array.from({ length: places.length / 2 }, (_, index) => [places[index * 2] ?? 0, places[index * 2 + 1] ?? 0]);
const far = ([x, y]: Point, [otherX, otherY]: Point): number => Math.hypot(x - otherX, y - otherY);
const closest = (all: readonly Point[]): number =>
  Math.min(...all.flatMap((one, index) => all.slice(index + 1).map((other) => far(one, other))));

describe('nodes without relations', () => {
  it.each([
    [400, 120],
    [10, 500],
    [3000, 5],
    [12, 1],
  ])('of a graph with %i others: %i are placed close around it', (others, count) => {
    const around = points(isolatePositions(disc(others), count));
    const reaches = around.map((point) => far(point, MIDDLE));
    expect(around).toHaveLength(count);
    expect(Math.min(...reaches)).toBeGreaterThan(RADIUS * 0.8);
    expect(Math.max(...reaches)).toBeLessThan(RADIUS * 3);
  });

  it('do not overlap', () => {
    expect(closest(points(isolatePositions(disc(400), 120)))).toBeGreaterThan(RADIUS * 0.05);
    expect(closest(points(isolatePositions(new Float32Array(), 200)))).toBeGreaterThan(0.5);
  });

  it('are empty for no nodes', () => {
    expect(isolatePositions(disc(5), 0)).toHaveLength(0);
  });
});
