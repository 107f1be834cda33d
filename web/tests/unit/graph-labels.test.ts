import { describe, expect, it } from 'vitest';
import { type LabelledNode, type Line, placeLabels } from '../../src/views/graph/place-labels.ts';

const node = (x: number, y: number, rank: LabelledNode['rank'] = 'other'): LabelledNode => ({
  x,
  y,
  radius: 5,
  width: 60,
  height: 12,
  rank,
});
const picture = { width: 400, height: 200, obstacles: [] as readonly Line[], labelsMax: 50 };

describe('labels', () => {
  it('are right of their nodes, and left of them at the right border', () => {
    const [first, second] = placeLabels([node(100, 100), node(380, 100)], picture);
    expect(first?.line.left).toBeGreaterThan(105);
    expect(second?.line.right).toBeLessThan(375);
  });

  it('keep a distance in a line', () => {
    const placed = placeLabels([node(100, 100), node(237, 100)], { ...picture, width: 290 });
    expect(placed.map(({ line }) => line.y)).not.toEqual([100, 100]);
  });

  it('are limited in number, except for hubs', () => {
    const nodes = [node(50, 50), node(50, 100), node(50, 150, 'hub')];
    expect(placeLabels(nodes, { ...picture, labelsMax: 1 }).map(({ index }) => index)).toEqual([0, 2]);
  });

  it('cover other nodes at hubs only', () => {
    const obstacles = [{ left: 0, right: 400, y: 100, height: 200 }];
    expect(placeLabels([node(200, 100)], { ...picture, obstacles })).toEqual([]);
    expect(placeLabels([node(200, 100, 'hub')], { ...picture, obstacles })).toHaveLength(1);
  });

  it('cover other labels in the focus only', () => {
    const crowd = Array.from({ length: 9 }, () => node(200, 100, 'hub'));
    expect(placeLabels(crowd, picture).length).toBeLessThan(9);
    expect(placeLabels([...crowd, node(200, 100, 'focus')], picture).at(-1)?.index).toBe(9);
  });
});
