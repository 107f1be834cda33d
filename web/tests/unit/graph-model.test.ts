import { describe, expect, it } from 'vitest';
import { nodesText, shownGraph } from '../../src/views/graph/model.ts';
import { edgeStyleOf, paintOf } from '../../src/views/graph/paint.ts';
import { svgOf } from '../../src/views/graph/svg.ts';
import type { Coloring } from '../../src/views/graph/graph-url-state.ts';

const node = (id: number, relations = 0) => ({
  id,
  name: `n${id}`,
  entityType: 'T',
  status: 'activo',
  observations: 1,
  relations,
  access_count: 0,
  created_at: '',
  updated_at: '',
});
const edge = (id: number, from: number, to: number, relationType = 'uses', active = true) => ({
  id,
  from,
  to,
  relationType,
  weight: 1,
  active,
  created_at: '',
});
const memory = (id: string, content: string, more = {}) => ({
  id,
  content,
  category: 'fact',
  subject: '',
  domain: 'general',
  memory_type: 'semantic',
  tier: 'l4',
  heat: 'cold',
  pinned: false,
  status: 'current',
  tags: [],
  importance: 1,
  confidence: 1,
  effective_confidence: 1,
  links: 0,
  entities: 0,
  access_count: 0,
  created_at: '',
  ...more,
});
const link = (id: string, from: string, to: string, type = 'supports', is_reference = false) => ({
  id,
  from,
  to,
  type,
  strength: 1,
  is_reference,
  created_at: '',
});
const slice = (
  nodes: ReturnType<typeof node>[],
  edges: ReturnType<typeof edge>[],
  memories: ReturnType<typeof memory>[] = [],
  links: ReturnType<typeof link>[] = [],
  mentions: { memory: string; entity: number; given: boolean }[] = [],
) => ({
  nodes,
  edges,
  memories,
  links,
  mentions,
  totals: { entities: 0, relations: 0, memories: 0, links: 0 },
  omitted: { nodes: 0, edges: 0, memories: 0, links: 0 },
});

describe('the graph model', () => {
  it('draws all relations between two entities as one edge', () => {
    const { edges } = shownGraph(
      [slice([node(1), node(2)], [edge(1, 1, 2), edge(2, 1, 2, 'owns', false), edge(3, 2, 1)])],
      {},
    );
    expect(edges.map(({ key, types, isActive }) => ({ key, types, isActive }))).toEqual([
      { key: '1>2', types: ['uses', 'owns'], isActive: true },
      { key: '2>1', types: ['uses'], isActive: true },
    ]);
  });

  it('merges slices without duplicates and removes hidden records with their relations', () => {
    const one = slice([node(1, 2), node(2, 1)], [edge(1, 1, 2)]);
    const two = slice([node(1, 2), node(3, 1)], [edge(2, 1, 3)]);
    const { nodes, edges } = shownGraph([one, two], { hidden: ['n3'], focus: ['n1'] });
    expect(nodes.map(({ name, unshown, isFocus }) => ({ name, unshown, isFocus }))).toEqual([
      { name: 'n1', unshown: 1, isFocus: true },
      { name: 'n2', unshown: 0, isFocus: false },
    ]);
    expect(edges.map(({ key }) => key)).toEqual(['1>2']);
  });

  it('draws no edge from an entity to itself', () => {
    expect(shownGraph([slice([node(1, 1)], [edge(1, 1, 1)])], {}).edges).toEqual([]);
  });
});

describe('the graph model with memories', () => {
  const both = slice(
    [node(1, 1)],
    [],
    [
      memory('a', 'Ships on Mondays\nand never on Fridays', { links: 2, entities: 1 }),
      memory('1', 'Ships on Tuesdays', { links: 1, status: 'contradicted' }),
    ],
    [link('x', 'a', '1', 'contradicts'), link('y', 'a', '1', 'related', true)],
    [{ memory: 'a', entity: 1, given: true }],
  );

  it('distinguishes memories and entities with equal ids', () => {
    const { nodes, edges } = shownGraph([both, both], { shows: 'all', focusMemories: ['1'], focus: ['1'] });
    expect(nodes.map(({ key, kind, id, name, isFocus }) => [key, kind, id, name, isFocus])).toEqual([
      ['1', 'entity', 'n1', 'n1', false],
      ['m:a', 'memory', 'a', 'Ships on Mondays', false],
      ['m:1', 'memory', '1', 'Ships on Tuesdays', true],
    ]);
    expect(edges.map(({ key, kind, types }) => [key, kind, types])).toEqual([
      ['m:a>m:1', 'link', ['contradicts', 'related']],
      ['m:a>1', 'mention', ['mentions']],
    ]);
  });

  it('counts links to records that are not shown, and mentions if entities are shown', () => {
    const unshown = (shows: 'all' | 'memories') =>
      shownGraph([both], { shows }).nodes.map(({ key, unshown }) => [key, unshown]);
    // Both lines between the two are drawn as one, and counted as two.
    expect(unshown('all')).toEqual([
      ['1', 1],
      ['m:a', 0],
      ['m:1', 0],
    ]);
    const alone = shownGraph([both], { shows: 'memories', hiddenMemories: ['1'] }).nodes.find(
      ({ key }) => key === 'm:a',
    );
    expect(alone?.unshown).toBe(1);
    const far = slice([], [], [memory('a', 'x', { links: 1, entities: 2 })]);
    expect((['all', 'memories'] as const).map((shows) => shownGraph([far], { shows }).nodes[0]?.unshown)).toEqual([
      3, 1,
    ]);
  });

  it('hides a memory by id, not the entity of the same name', () => {
    const { nodes, edges } = shownGraph([both], { shows: 'all', hiddenMemories: ['a', 'n1'] });
    expect(nodes.map(({ key }) => key)).toEqual(['1', 'm:1']);
    expect(edges).toEqual([]);
  });

  it('describes the number of nodes', () => {
    expect(nodesText(shownGraph([both], { shows: 'all' }))).toBe('1 entity, 2 memories');
    expect(nodesText(shownGraph([slice([], [], [memory('a', 'x')])], { shows: 'memories' }))).toBe('1 memory');
    expect(nodesText(shownGraph([], {}))).toBe('0 entities');
  });

  it('styles edges by their most important type', () => {
    const { edges } = shownGraph([both], { shows: 'all' });
    expect(edges.map(edgeStyleOf)).toEqual(['contradicts', 'mention']);
  });

  it('has a legend for each kind', () => {
    const { nodes } = shownGraph([both], { shows: 'all' });
    const legendOf = (coloring: Exclude<Coloring, 'community'>) =>
      paintOf({ nodes, edges: [] }, coloring, 'light').legend.map(({ word, kind, count }) => [word, kind, count]);
    expect(legendOf('type')).toEqual([
      ['fact', 'memory', 2],
      ['T', 'entity', 1],
    ]);
    expect(legendOf('status')).toEqual([
      ['activo', 'entity', 1],
      ['contradicted', 'memory', 1],
      ['current', 'memory', 1],
    ]);
    expect(legendOf('domain')).toEqual([
      ['general', 'memory', 2],
      ['entities', 'entity', 1],
    ]);
    const memories = nodes.filter(({ kind }) => kind === 'memory');
    expect(paintOf({ nodes: memories, edges: [] }, 'domain', 'light').legend.map(({ word }) => word)).toEqual([
      'general',
    ]);
  });
});

describe('the picture', () => {
  it('escapes hostile names', () => {
    const svg = svgOf({
      width: 10,
      height: 10,
      background: '#fff',
      text: '#000',
      edge: '#ccc',
      edges: [],
      nodes: [{ x: 0, y: 0, size: 1, color: 'red', label: '</text><script>"\u0000&' }],
    });
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;&quot;\ufffd&amp;</text>');
    expect(svg).not.toContain('<script');
  });

  it('draws memories as squares and mentions with dashes', () => {
    const point = { x: 5, y: 5 };
    const svg = svgOf({
      width: 10,
      height: 10,
      background: '#fff',
      text: '#000',
      edge: '#ccc',
      edges: [{ from: point, to: point, isDashed: true }],
      nodes: [{ ...point, size: 2, color: 'red', label: 'a', shape: 'square' }],
    });
    expect(svg).toContain('<rect x="3.6" y="3.6" width="2.8" height="2.8"');
    expect(svg).not.toContain('<circle');
    expect(svg).toContain('stroke-dasharray');
  });
});
