import Graph from 'graphology';
import { beforeAll, describe, expect, it } from 'vitest';
import { communitiesOf } from '../../src/views/graph/communities.ts';
import { rankedNodes } from '../../src/views/graph/label-rank.ts';
import { tables } from '../../src/views/graph/layout.ts';
import { shrinkOf, sizeOf } from '../../src/views/graph/paint.ts';
import { isApart, type LabelledNode, type PlacedLabel, placeLabels } from '../../src/views/graph/place-labels.ts';
import { resolveOverlaps, type Scale } from '../../src/views/graph/resolve-overlaps.ts';
import { runLayout } from '../../src/views/graph/run-layout.ts';
import { plantedGraph } from '../planted-graph.ts';

/** Of a window of 1280 × 720 pixels, without panels and the margin of the picture. */
const CANVAS = { width: 980, height: 480 };
const MARGIN = 64;
const STRETCH = 1.77;
/** Of a font of 12 pixels. */
const CHARACTER_WIDTH = 6.6;
const TEXT_HEIGHT = 12;
const scaleOf: Scale = (width, height) => Math.min(CANVAS.width / width, CANVAS.height / height);

type Point = readonly [number, number];

describe.each([300, 1000])('a graph of %i nodes in communities, at rest', (order) => {
  const { nodes, edges } = plantedGraph(order);
  const places: Point[] = [];
  const sizes: number[] = [];
  let drawn: LabelledNode[] = [];
  let labels: PlacedLabel[] = [];

  beforeAll(async () => {
    const keys = nodes.map((_, index) => ({ key: String(index) }));
    const communityOf = communitiesOf({
      nodes: keys,
      edges: edges.map(([from, to]) => ({ from: `${from}`, to: `${to}` })),
    });
    const graph = new Graph({ type: 'directed' });
    for (const { key } of keys)
      graph.addNode(key, { x: Number(key) % 31, y: Number(key) % 37, community: communityOf[key] });
    for (const [from, to] of edges) graph.addEdge(String(from), String(to));
    let laid = new Float32Array();
    await runLayout(
      { id: 1, startsAnew: true, ...tables(graph, graph.nodes(), new Set(), 1) },
      ({ positions }) => (laid = positions),
      () => true,
    );
    const degrees = graph.nodes().map((key) => graph.degree(key));
    sizes.push(...degrees.map((relations) => sizeOf({ kind: 'entity', relations }) * shrinkOf(order)));
    const stretched = laid.map((value, at) => (at % 2 === 0 ? value * STRETCH : value));
    const found = resolveOverlaps(stretched, sizes, scaleOf);
    const [xs, ys] = [0, 1].map((first) => found.filter((_, at) => at % 2 === first)) as [Float32Array, Float32Array];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const scale = scaleOf(Math.max(...xs) - left, Math.max(...ys) - top);
    xs.forEach((x, index) => places.push([MARGIN + (x - left) * scale, MARGIN + ((ys[index] ?? 0) - top) * scale]));
    const ranked = rankedNodes(
      degrees.map((relations, index) => ({ key: String(index), relations, accessCount: 0, isFocus: false })),
    );
    drawn = ranked.map(({ key, rank }) => {
      const [x, y] = places[Number(key)] ?? [0, 0];
      const width = (nodes[Number(key)]?.name.length ?? 0) * CHARACTER_WIDTH;
      return { x, y, radius: sizes[Number(key)] ?? 0, width, height: TEXT_HEIGHT, rank };
    });
    labels = placeLabels(drawn, {
      width: CANVAS.width + 2 * MARGIN,
      height: CANVAS.height + 2 * MARGIN,
      labelsMax: 50,
      obstacles: drawn.map(({ x, y, radius }) => ({ left: x - radius, right: x + radius, y, height: radius * 2 })),
    });
  }, 60_000);

  it('separates its communities', () => {
    const mean = (isWithin: boolean): number => {
      let [sum, count] = [0, 0];
      places.forEach(([x, y], one) =>
        places.slice(0, one).forEach(([otherX, otherY], other) => {
          if ((nodes[one]?.community === nodes[other]?.community) !== isWithin) return;
          sum += Math.hypot(x - otherX, y - otherY);
          count += 1;
        }),
      );
      return sum / count;
    };
    expect(mean(true) / mean(false)).toBeLessThan(0.3);
  });

  it('has no overlapping nodes', () => {
    const covered = places.filter(([x, y], one) =>
      places.some(
        ([otherX, otherY], other) =>
          other < one && Math.hypot(x - otherX, y - otherY) < (sizes[one] ?? 0) + (sizes[other] ?? 0) - 0.5,
      ),
    );
    expect(covered).toEqual([]);
  });

  it('labels each hub, without overlapping labels', () => {
    const labelled = new Set(labels.map(({ index }) => index));
    const hubs = drawn.flatMap(({ rank }, index) => (rank === 'hub' ? [index] : []));
    expect(hubs.length).toBeGreaterThanOrEqual(8);
    expect(hubs.filter((index) => !labelled.has(index))).toEqual([]);
    expect(labels.length).toBeGreaterThan(hubs.length);
    const covered = labels.filter(({ line }, one) =>
      labels.some(({ line: other }, two) => two < one && !isApart(line, other)),
    );
    expect(covered).toEqual([]);
  });
});
