import { describe, expect, it } from 'vitest';
import { readMemory } from '../../src/single/memory.ts';
import { SnapshotSource } from '../../src/single/snapshot-source.ts';
import type { Input, Output, ToolName } from '../../src/source/tools.ts';
import { lay } from '../../src/views/graph/lay.ts';
import { EDGE_FIELDS, type FromLayout, NODE_FIELDS } from '../../src/views/graph/layout-messages.ts';

const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')} 10:00:00`;
const entity = (name: string, entity_type: string, day: number) => ({ record: 'entity', name, entity_type, status: 'activo', created_at: at(day) });
const said = (name: string, n: number, content: string, day: number, more = {}) => ({ record: 'observation', entity: name, n, content, kind: 'generic', created_at: at(day), ...more });
const relation = (from: string, relation_type: string, to: string, more = {}) => ({ record: 'relation', from, relation_type, to, weight: 1, active: true, created_at: at(3), ...more });

const LINES = [
  { record: 'export', format: 'limbic', version: 1 },
  entity('Ada', 'Person', 1),
  entity('Atlas', 'Project', 2),
  entity('Borealis', 'Project', 3),
  entity('café', 'Place', 4),
  said('Ada', 1, 'Likes coffee', 1, { superseded_at: at(5) }),
  said('Ada', 2, 'Likes tea', 5, { supersedes: 1 }),
  said('Atlas', 1, 'Stores its data in SQLite', 2),
  said('Borealis', 1, 'Reads what Atlas stored', 3),
  said('nobody', 1, 'is said of nothing', 3),
  relation('Ada', 'works_on', 'Atlas'),
  relation('Borealis', 'uses', 'Atlas'),
  relation('Ada', 'knew', 'Borealis', { active: false, ended_at: at(6) }),
  relation('Ada', 'knows', 'nobody'),
  { record: 'reflection', target_type: 'entity', entity: 'Ada', author: 'sofia', content: 'on Ada', created_at: at(7) },
  { record: 'reflection', target_type: 'relation', from: 'Ada', relation_type: 'works_on', to: 'Atlas', author: 'sofia', content: 'on her work', created_at: at(7) },
  { record: 'reflection', target_type: 'global', author: 'sofia', content: 'on everything', created_at: at(7) },
  { record: 'access', entity: 'Atlas', count: 4, last: at(8) },
  { record: 'access_day', entity: 'Atlas', day: '2026-01-08', count: 4 },
  { record: 'co_occurrence', a: 'Ada', b: 'Atlas', count: 3, last: at(8) },
  { record: 'domain', id: 'code', name: 'Code', created: at(1), last_access: at(9) },
  { record: 'memory', id: 'm1', domain: 'code', content: 'Atlas keeps backups for 30 days', category: 'decision', confidence: 0.8, created_at: at(2), updated_at: at(6), tags: ['backups'] },
  { record: 'memory', id: 'm2', domain: 'code', content: 'Backups go to the cellar', created_at: at(3), valid_until: '2026-01-04T10:00:00.384Z' },
  { record: 'memory', id: 'm3', domain: 'home', content: 'Tea at five, not coffee', category: 'preference', created_at: at(3) },
  { record: 'memory', id: 'm4', domain: 'code', content: 'Backups are kept for a week', created_at: at(1), confidence: 0.7 },
  { record: 'memory_edge', from: 'm1', link_type: 'supersedes', to: 'm2', at: at(4) },
  { record: 'memory_edge', from: 'm1', link_type: 'contradicts', to: 'm4', at: at(4) },
  { record: 'memory_edge', from: 'm1', link_type: 'possible_contradiction', to: 'm4', strength: 0, at: at(4) },
  { record: 'memory_edge', from: 'm1', link_type: 'supports', to: 'nobody', at: at(4) },
  { record: 'memory_reference', from: 'm1', domain: 'code', to: 'm3', target_domain: 'home' },
  { record: 'memory_mention', memory: 'm3', entity: 'Ada' },
  { record: 'memory_history', memory: 'm1', content: 'Atlas keeps backups', confidence: 0.5, replaced_at: at(6) },
  { record: 'memory_session', memory: 'm1', session: 's1', last: at(6) },
  { record: 'of a kind to come', entity: 'Ada' },
  { record: 'end', records: 20 },
];
const memory = readMemory(LINES.map((line) => JSON.stringify(line)).join('\n'));
const source = new SnapshotSource(memory);

async function ask<T extends ToolName>(tool: T, args: Input<T>): Promise<Output<T>> {
  const answer = await source.call(tool, args);
  if (!answer.ok) throw new Error(answer.text);
  return answer.value;
}
const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);

describe('an entity of the page', () => {
  it('is told with its history, relations both ways, and what was thought of it', async () => {
    const { entity: ada, observations, relations, reflections, found_together } = await ask('explore_entity', { name: 'Ada' });
    expect(ada).toMatchObject({ observations: 1, relations: 1, access_count: 0 });
    const [before, after] = observations;
    expect([before?.content, before?.superseded_by, after?.supersedes]).toEqual(['Likes coffee', after?.id, before?.id]);
    expect(relations.map(({ to, active }) => [to, active])).toEqual([['Atlas', true], ['Borealis', false]]);
    expect(reflections.map(({ content }) => content)).toEqual(['on Ada', 'on her work']);
    expect(found_together).toMatchObject([{ name: 'Atlas', count: 3 }]);
    expect((await ask('explore_entity', { name: 'Atlas' })).access).toMatchObject({ count: 4, days: [{ date: '2026-01-08', count: 4 }] });
  });

  it('that is not there is refused with its name', async () => {
    expect(await source.call('explore_entity', { name: 'nobody' })).toMatchObject({ ok: false, error: { code: 'not_found', error: expect.stringContaining('nobody') } });
  });
});

it('a change is refused with a sentence', async () => {
  for (const tool of ['create_entities', 'delete_entities', 'add_observations']) {
    expect(await source.callByName(tool, {})).toMatchObject({ ok: false, error: { code: 'read_only', error: expect.stringContaining('nothing can be changed here') } });
  }
});

describe('the graph of the page', () => {
  it('goes as many steps as it is asked to, and follows what holds', async () => {
    const { nodes, edges, unknown } = await ask('explore_graph', { names: ['Ada', 'nobody'], depth: 1 });
    expect(nodes.map(({ name, distance }) => [name, distance])).toEqual([['Ada', 0], ['Atlas', 1]]);
    expect([edges.length, unknown]).toEqual([1, ['nobody']]);
    expect(names((await ask('explore_graph', { names: ['Ada'], depth: 2 })).nodes)).toEqual(['Ada', 'Atlas', 'Borealis']);
    expect(names((await ask('explore_graph', { names: ['Ada'], depth: 1, include_ended: true })).nodes)).toContain('Borealis');
    expect(names((await ask('explore_graph', { names: ['Ada'], depth: 3, relation_types: ['uses'] })).nodes)).toEqual(['Ada']);
  });

  it('of the whole memory begins with the most used, and tells what it left out', async () => {
    const { nodes, omitted, totals } = await ask('explore_graph', { limit: 1 });
    expect([names(nodes), omitted.nodes, totals]).toEqual([['Atlas'], 3, { entities: 4, relations: 2, memories: 2, links: 3 }]);
    expect(names((await ask('explore_graph', { since: '2026-01-05' })).nodes)).toEqual(['Ada']);
  });

  it('leaves out neighbours above the limit', async () => {
    const { nodes, omitted } = await ask('explore_graph', { names: ['Atlas'], neighbours_max: 1 });
    expect([nodes.length, omitted.nodes]).toEqual([2, 1]);
  });
});

describe('the lists of the page', () => {
  it('are cut, ordered and filtered', async () => {
    const page = await ask('explore_records', { kind: 'entities', sort: 'name', descending: true, limit: 2, offset: 1 });
    expect([names(page.rows as { name: string }[]), page.total]).toEqual([['Borealis', 'Atlas'], 4]);
    const total = async (asked: Input<'explore_records'>): Promise<number> => (await ask('explore_records', asked)).total;
    expect(await total({ kind: 'entities', text: 'ATLAS' })).toBe(1);
    expect(await total({ kind: 'entities', entity_type: 'Project' })).toBe(2);
    expect(await total({ kind: 'observations', status: 'superseded' })).toBe(1);
    expect(await total({ kind: 'observations', entity_type: 'Person' })).toBe(2);
    expect(await total({ kind: 'relations', status: 'ended' })).toBe(1);
    expect(await total({ kind: 'relations', filter: { relationType: 'uses' } })).toBe(1);
    expect(await total({ kind: 'reflections', until: '2026-01-07' })).toBe(0);
  });

  it('are counted', async () => {
    const { counts, entity_types } = await ask('explore_stats', {});
    expect(counts).toMatchObject({ entities: 4, observations: 3, superseded: 1, relations: 2, ended: 1, reflections: 3 });
    expect(entity_types[0]).toEqual({ name: 'Project', count: 2 });
  });
});

describe('the search of the page', () => {
  const found = async (query: string, more = {}): Promise<string[]> => names((await ask('search_semantic', { query, ...more })).results);

  it('finds by name before by what is said, and shows the observation', async () => {
    expect(await found('atlas')).toEqual(['Atlas', 'Borealis']);
    const { results, mode } = await ask('search_semantic', { query: 'what data is in sqlite?' });
    expect([results[0]?.name, results[0]?.explanation?.best_observation, mode]).toEqual(['Atlas', 'Stores its data in SQLite', 'lexical']);
    expect(results[0]?.explanation?.relevance).toBeLessThanOrEqual(1);
  });

  it('takes no notice of case and accents, and finds beginnings of words', async () => {
    expect(await found('CAFE')).toEqual(['café']);
    expect(await found('bore')).toEqual(['Borealis']);
    expect(await found('realis')).toEqual([]);
  });

  it('knows what is current, and keeps to a type', async () => {
    expect(await found('coffee')).toEqual([]);
    expect(await found('atlas', { entity_type: 'Project', limit: 1 })).toEqual(['Atlas']);
    expect(await found('tea', { entity_type: 'Project' })).toEqual([]);
    expect(await found('!?')).toEqual([]);
  });
});

describe('the memories of the page', () => {
  const ids = (rows: readonly object[]): unknown[] => rows.map((row) => ('id' in row ? row.id : undefined));

  it('are told with history, links, sessions, and the entities named for them or in their text', async () => {
    const { memory: told, history, links, entities, sessions, vector } = await ask('explore_memory', { id: 'm1' });
    expect(told).toMatchObject({ domain: 'code', status: 'current', links: 3, entities: 1, path: '/' });
    expect(told.effective_confidence).toBeLessThan(0.8);
    expect(history).toEqual([{ content: 'Atlas keeps backups', confidence: 0.5, replaced_at: at(6) }]);
    expect(links.map(({ type, to_id, is_reference }) => [type, to_id, is_reference])).toEqual([['related', 'm3', true], ['supersedes', 'm2', false], ['contradicts', 'm4', false]].sort((a, b) => Number(b[2]) - Number(a[2]) || (String(a[1]) < String(b[1]) ? -1 : 1)));
    expect(entities.map(({ name, given }) => [name, given])).toEqual([['Atlas', false]]);
    expect((await ask('explore_memory', { id: 'm3' })).entities).toMatchObject([{ name: 'Ada', given: true }]);
    expect([ids(sessions).length, vector]).toEqual([1, 'none']);
    expect(await source.call('explore_memory', { id: 'nobody' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });

  it('are drawn beside entities, those of a domain alone, and what has ended only when it is asked for', async () => {
    const all = await ask('explore_graph', { show: 'all' });
    expect([all.nodes.length, new Set(ids(all.memories)), all.mentions.length]).toEqual([4, new Set(['m1', 'm3']), 2]);
    expect(all.links).toMatchObject([{ from: 'm1', to: 'm3', is_reference: true }]);
    const code = await ask('explore_graph', { show: 'memories', domain: 'code' });
    expect([code.nodes, ids(code.memories), code.totals.memories]).toEqual([[], ['m1'], 1]);
    expect((await ask('explore_graph', { show: 'memories', include_ended: true })).memories).toHaveLength(4);
    const near = await ask('explore_graph', { show: 'all', names: ['Atlas'], memory_ids: ['nobody'], depth: 1 });
    expect([ids(near.memories), near.unknown]).toEqual([['m1'], ['nobody']]);
    expect((await ask('explore_graph', {})).memories).toEqual([]);
    expect(await source.call('explore_graph', { show: 'memories', domain: 'nowhere' })).toMatchObject({ ok: false });
  });

  it('are listed and counted', async () => {
    const total = async (asked: Input<'explore_records'>): Promise<number> => (await ask('explore_records', asked)).total;
    expect(await total({ kind: 'memories', text: 'BACKUPS', status: 'current' })).toBe(1);
    expect(await total({ kind: 'memories', status: 'ended' })).toBe(1);
    expect(await total({ kind: 'memories', status: 'contradicted' })).toBe(1);
    expect(await total({ kind: 'memories', domain: 'home' })).toBe(1);
    expect(await total({ kind: 'memories', entity_type: 'Person' })).toBe(1);
    expect(await total({ kind: 'links', status: 'reference', domain: 'home' })).toBe(1);
    expect(await total({ kind: 'links' })).toBe(3);
    expect(ids((await ask('explore_records', { kind: 'memories', sort: 'created_at', descending: true, limit: 2, filter: { domain: 'code' } })).rows)).toEqual(['m2', 'm1']);
    expect((await ask('explore_stats', {})).counts).toMatchObject({ memories: 2, memories_ended: 2, links: 3, domains: 2 });
    expect((await ask('list_domains', {})).domains.map(({ id, name, memories }) => [id, name, memories])).toEqual([['code', 'Code', 3], ['home', 'home', 1]]);
  });

  it('are found by their words, in one domain or all', async () => {
    const found = async (asked: Input<'memory_recall'>): Promise<unknown[]> => ids((await ask('memory_recall', asked)).memories);
    expect(await found({ query: 'backups', domain: '*' })).toEqual(['m1']);
    expect(new Set(await found({ query: 'backups', domain: '*', include_expired: true, include_contradicted: true }))).toEqual(new Set(['m1', 'm2', 'm4']));
    expect(await found({ query: 'backups', domain: 'home' })).toEqual([]);
    expect(await found({ domain: 'home' })).toEqual(['m3']);
    expect(await found({ domain: '*', category: 'decision' })).toEqual(['m1']);
  });
});

describe('an empty page', () => {
  it('answers, and finds nothing', async () => {
    const empty = new SnapshotSource(readMemory('\n'));
    expect(await empty.call('search_semantic', { query: 'anything' })).toMatchObject({ ok: true, value: { results: [] } });
    expect(await empty.call('explore_graph', {})).toMatchObject({ ok: true, value: { nodes: [], totals: { entities: 0 } } });
  });
});

describe('a layout without a worker', () => {
  const task = (id: number) => ({ id, nodes: Float32Array.from({ length: 300 * NODE_FIELDS }, (_, index) => (index * 7919) % 31), edges: new Float32Array(EDGE_FIELDS) });

  it('lets others run, and ends when nobody wants it', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 0);
    const told: FromLayout[] = [];
    let wanted = true;
    const layout = lay(task(1), (message) => told.push(message), () => wanted, 1);
    await new Promise((resolve) => setTimeout(resolve, 0));
    wanted = false;
    await layout;
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    expect(told.filter(({ isDone }) => isDone)).toEqual([]);
  });
});
