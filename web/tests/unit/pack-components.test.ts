import Graph from 'graphology';
import { describe, expect, it } from 'vitest';
import { componentsOf } from '../../src/views/graph/components.ts';
import { packComponents } from '../../src/views/graph/pack-components.ts';

/** A ring of nodes around a point. */
const ring = (x: number, y: number, radius: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (index / count) * 2 * Math.PI).flatMap((turn) => [
    x + radius * Math.cos(turn),
    y + radius * Math.sin(turn),
  ]);
const partsOf = (...counts: readonly number[]): Int32Array =>
  Int32Array.from(counts.flatMap((count, part) => Array.from({ length: count }, () => part)));

describe('components of a graph', () => {
  it('are distinguished', () => {
    const graph = new Graph();
    for (const key of ['a', 'b', 'c', 'd', 'e']) graph.addNode(key);
    graph.addEdge('a', 'c');
    graph.addEdge('d', 'c');
    graph.addEdge('b', 'e');
    expect([...componentsOf(graph, ['a', 'b', 'c', 'd', 'e'])]).toEqual([0, 1, 0, 0, 1]);
  });

  it('move close to the largest, each in its direction and as a whole', () => {
    const laid = new Float32Array([...ring(0, 0, 100, 50), ...ring(900, 0, 5, 2), ...ring(0, 400, 5, 2)]);
    const found = packComponents(laid, partsOf(50, 2, 2));
    expect([...found.slice(0, 100)]).toEqual([...laid.slice(0, 100)]);
    const [rightX = 0, rightY = 0, otherX = 0] = found.slice(100);
    expect(rightX - otherX).toBeCloseTo(10);
    expect(rightY).toBeCloseTo(0);
    expect(otherX).toBeGreaterThan(100);
    expect(rightX).toBeLessThan(130);
    const [belowX = 0, belowY = 0] = found.slice(104);
    expect(belowX).toBeCloseTo(5);
    expect(belowY).toBeGreaterThan(100);
    expect(belowY).toBeLessThan(130);
  });

  it('stay in place if there is no space', () => {
    const laid = new Float32Array([...ring(0, 0, 100, 20), ...ring(230, 0, 100, 19), ...ring(0, 230, 100, 19)]);
    expect([...packComponents(laid, partsOf(20, 19, 19))]).toEqual([...laid]);
  });
});
