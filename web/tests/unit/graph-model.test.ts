import { describe, expect, it } from 'vitest';
import { shownGraph } from '../../src/views/graph/model.ts';
import { svgOf } from '../../src/views/graph/svg.ts';

const node = (id: number, relations = 0) => ({
  id, name: `n${id}`, entityType: 'T', status: 'activo', observations: 1, relations, access_count: 0, created_at: '', updated_at: '',
});
const edge = (id: number, from: number, to: number, relationType = 'uses', active = true) => ({ id, from, to, relationType, weight: 1, active, created_at: '' });
const slice = (nodes: ReturnType<typeof node>[], edges: ReturnType<typeof edge>[]) => ({ nodes, edges, totals: { entities: 0, relations: 0 }, omitted: { nodes: 0, edges: 0 } });

describe('the drawn graph', () => {
  it('draws all relations from one entity to another as one line', () => {
    const { edges } = shownGraph([slice([node(1), node(2)], [edge(1, 1, 2), edge(2, 1, 2, 'owns', false), edge(3, 2, 1)])], new Set(), new Set());
    expect(edges.map(({ key, types, isActive }) => ({ key, types, isActive }))).toEqual([
      { key: '1>2', types: ['uses', 'owns'], isActive: true },
      { key: '2>1', types: ['uses'], isActive: true },
    ]);
  });

  it('joins slices without doubling and leaves out what is hidden, with its relations', () => {
    const one = slice([node(1, 2), node(2, 1)], [edge(1, 1, 2)]);
    const two = slice([node(1, 2), node(3, 1)], [edge(2, 1, 3)]);
    const { nodes, edges } = shownGraph([one, two], new Set(['n3']), new Set(['n1']));
    expect(nodes.map(({ name, unshown, isFocus }) => ({ name, unshown, isFocus }))).toEqual([
      { name: 'n1', unshown: 1, isFocus: true },
      { name: 'n2', unshown: 0, isFocus: false },
    ]);
    expect(edges.map(({ key }) => key)).toEqual(['1>2']);
  });

  it('draws no line from an entity to itself', () => {
    expect(shownGraph([slice([node(1, 1)], [edge(1, 1, 1)])], new Set(), new Set()).edges).toEqual([]);
  });
});

describe('the picture', () => {
  it('holds hostile names as text', () => {
    const svg = svgOf({ width: 10, height: 10, background: '#fff', text: '#000', edge: '#ccc', edges: [], nodes: [{ x: 0, y: 0, size: 1, color: 'red', label: '</text><script>"\u0000&' }] });
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;&quot;\ufffd&amp;</text>');
    expect(svg).not.toContain('<script');
  });
});
