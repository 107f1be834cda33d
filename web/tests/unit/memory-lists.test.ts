import { describe, expect, it, vi } from 'vitest';
import { notify } from '../../src/app/toasts.tsx';
import { each } from '../../src/mutations/memory-bulk.ts';
import { linkInput, removeLinks, sentence } from '../../src/mutations/memory-links.ts';
import { replaceMemory } from '../../src/mutations/memory-pairs.ts';
import type { LinkRow, MemoryRow } from '../../src/source/explorer-tools.ts';
import type { Source } from '../../src/source/source.ts';
import { pairsOf, diffSegments } from '../../src/views/maintenance/contradictions/pairs.ts';
import { changeText, deletions, groupsOf, skippedMemories } from '../../src/views/maintenance/memory-plan/plan.ts';
import { ACTIONS, actionsParam, parseMaintenanceUrl } from '../../src/views/maintenance/maintenance-url-state.ts';
import { excerpt, type RecalledMemory, scoreExplanations } from '../../src/views/search/recall-model.ts';
import {
  isFiltered,
  searchTarget,
  parseMemorySearchUrl,
  recallInput,
} from '../../src/views/search/search-url-state.ts';
import { memoryStatuses } from '../../src/views/stats/stats-model.ts';
import type { Action, RecordKind, Row } from '../../src/views/table/record-kind.ts';
import { runAction } from '../../src/views/table/run-action.ts';
import { chosenFilter, filterParam, parseTableUrl, queryOf } from '../../src/views/table/table-url-state.ts';
import { phrase, rowsOf, subjectOf } from '../../src/views/timeline/phrase.ts';
import { barsOf, SERIES } from '../../src/views/timeline/series.ts';

vi.mock('../../src/app/toasts.tsx', () => ({ notify: vi.fn(), notifyError: vi.fn() }));

const memory = (id: string, status = 'current'): MemoryRow => ({
  id,
  status,
  content: `text of ${id}`,
  category: 'fact',
  subject: '',
  domain: 'default',
  memory_type: 'semantic',
  tier: 'l4',
  heat: 'cold',
  pinned: false,
  tags: [],
  importance: 1,
  confidence: 1,
  effective_confidence: 1,
  links: 1,
  entities: 0,
  access_count: 0,
  created_at: '2026-01-01 00:00:00',
});
const link = (from_id: string, to_id: string, more: Partial<LinkRow> = {}): LinkRow => ({
  id: `${from_id}-${to_id}`,
  is_reference: false,
  from_id,
  to_id,
  from: 'a',
  to: 'b',
  from_domain: 'default',
  to_domain: 'default',
  type: 'contradicts',
  strength: 1,
  bidirectional: false,
  created_at: '2026-01-01 00:00:00',
  ...more,
});

describe('a search of memories', () => {
  it('searches all domains or one, without recording accesses', () => {
    expect(recallInput('clock', parseMemorySearchUrl({}), undefined)).toMatchObject({
      query: 'clock',
      domain: '*',
      touch: false,
      explain: true,
      as_of: undefined,
      include_expired: false,
    });
    expect(
      recallInput('', parseMemorySearchUrl({ on: '2026-03-01', past: '1', category: 'decision' }), 'atlas'),
    ).toMatchObject({
      query: undefined,
      domain: 'atlas',
      as_of: '2026-03-01T23:59:59Z',
      category: 'decision',
      include_expired: true,
      include_contradicted: true,
    });
  });

  it('ignores address parameters that the tool does not accept', () => {
    const urlState = parseMemorySearchUrl({ category: 'rumour', on: 'yesterday', past: 'yes' });
    expect(isFiltered(urlState)).toBe(false);
    expect([searchTarget({ of: 'memories' }), searchTarget({ of: 'x' }), searchTarget({})]).toEqual([
      'memories',
      'entities',
      'entities',
    ]);
  });

  const recalled = (relevance: number, words_share: number, graph_share: number): RecalledMemory => ({
    ...memory('m'),
    entities: [],
    score: 1,
    vector_score: 0,
    bm25_score: 3.14,
    ppr_score: 0,
    explanation: { relevance, words_share, graph_share, confidence: 0.5, importance: 1, freshness: 1, backing: 1.05 },
  });

  it('scales all score bars to the longest one', () => {
    const [long, short] = scoreExplanations([recalled(1, 0.1, 0.4), recalled(0.3, 0, 0)]);
    expect(long?.parts.reduce((sum, { length }) => sum + length, 0)).toBeCloseTo(1);
    expect(short?.parts[0]?.length).toBeCloseTo(0.2);
    expect(short?.parts[0]?.share).toBe(0.3);
  });

  it('omits signals without a score, and all bars without a question', () => {
    expect(scoreExplanations([recalled(1, 0, 0)])[0]?.raw).toEqual([{ title: 'words', text: '3.1' }]);
    expect(scoreExplanations([{ ...recalled(1, 0, 0), explanation: undefined } as RecalledMemory])).toEqual([
      undefined,
    ]);
  });

  it('truncates long texts', () => {
    expect(excerpt('  short ')).toBe('short');
    expect(excerpt('x'.repeat(10_000)).length).toBeLessThan(1000);
    expect(excerpt(`x${'😀'.repeat(1000)}`)).toMatch(/^x(😀)+…$/u);
  });
});

describe('the table of memories', () => {
  it('filters by domain for kinds that have domains', () => {
    const urlState = parseTableUrl({ kind: 'memories' }, ['memories']);
    const order = { column: 'created_at', descending: true };
    expect(queryOf(urlState, order, 'atlas').domain).toBe('atlas');
    expect(queryOf(urlState, order).domain).toBeUndefined();
  });

  it('distinguishes a column named type from the entity type', () => {
    const params = { [filterParam('=type')]: 'contradicts' };
    const urlState = parseTableUrl({ kind: 'links', ...params }, ['links']);
    expect([urlState.entityType, chosenFilter(urlState, '=type'), urlState.exactly]).toEqual([
      undefined,
      'contradicts',
      { type: 'contradicts' },
    ]);
  });
});

describe('events of memories', () => {
  const event = (kind: string, more: object = {}) => ({
    kind,
    at: '2026-01-01 10:00:00',
    id: 1,
    memory: 'm1',
    text: 'first line\nsecond',
    ...more,
  });

  it('link to the memory unless it was deleted', () => {
    expect(subjectOf(event('memory_used'))).toEqual({ kind: 'memory', id: 'm1' });
    expect(subjectOf(event('memory_forgotten'))).toBeUndefined();
    expect(subjectOf({ kind: 'access', at: '', id: 1, entity: 'Atlas' })).toEqual({ kind: 'entity', id: 'Atlas' });
  });

  it('are one line, and past ones are marked as such', () => {
    expect(phrase(event('memory_stored'))).toEqual({ text: 'first line' });
    expect(phrase(event('memory_changed'))).toMatchObject({ isPast: true });
    expect(phrase(event('memory_forgotten', { text: undefined })).text).toBe('a memory, no reason given');
  });

  it('have unique keys within one second', () => {
    const rows = rowsOf([event('memory_used'), event('memory_used', { memory: 'm2' })], () => 'day');
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
  });

  it('have bars only if buckets count them', () => {
    expect(barsOf('stored', new Set(['memories']))).not.toContain('memories');
    expect(barsOf('stored', new Set())).toContain('memories_linked');
    expect(SERIES.filter(({ lane }) => lane === undefined).map(({ event: kind }) => kind)).toEqual([
      'memory_used',
      'memory_forgotten',
    ]);
  });
});

describe('contradictions', () => {
  it('are one pair for any number of links, with the memory that recall returns first', () => {
    const pairs = pairsOf(
      [link('a', 'b', { strength: 0.4 }), link('b', 'a', { strength: 0.9 })],
      [memory('a', 'contradicted'), memory('b')],
    );
    expect(
      pairs.map(({ memories, links, strength }) => [memories.map(({ id }) => id), links.length, strength]),
    ).toEqual([[['b', 'a'], 2, 0.9]]);
  });

  it('are not listed if one of the two has ended, expired or was deleted', () => {
    expect(pairsOf([link('a', 'b')], [memory('a', 'ended'), memory('b')])).toEqual([]);
    expect(pairsOf([link('a', 'b')], [memory('a', 'expired'), memory('b')])).toEqual([]);
    expect(pairsOf([link('a', 'b')], [memory('a')])).toEqual([]);
  });

  it('are ordered by strength', () => {
    const pairs = pairsOf(
      [link('a', 'b', { strength: 0.2 }), link('c', 'd', { strength: 0.8 })],
      ['a', 'b', 'c', 'd'].map((id) => memory(id)),
    );
    expect(pairs.map(({ key }) => key)).toEqual(['c d', 'a b']);
  });
});

describe('possible contradictions', () => {
  const possible = link('new', 'old', { type: 'possible_contradiction', strength: 0.97 });

  it("have the newer memory first, from which the core's link starts", () => {
    const pairs = pairsOf([possible], [memory('old'), memory('new')], 'possible_contradiction');
    expect(pairs).toMatchObject([
      { type: 'possible_contradiction', strength: 0.97, memories: [{ id: 'new' }, { id: 'old' }] },
    ]);
  });

  it('have the newer memory first also if a third one hides it', () => {
    const pairs = pairsOf([possible], [memory('old'), memory('new', 'contradicted')], 'possible_contradiction');
    expect(pairs.map(({ memories }) => memories.map(({ id }) => id))).toEqual([['new', 'old']]);
  });

  it('keep the newer memory in one step, with undo', async () => {
    const { source, calls } = noting();
    expect(await replaceMemory(source, memory('new'), memory('old'))).toBe(true);
    lastNotice()?.action?.run();
    const decision = { from_id: 'new', to_id: 'old', type: 'supersedes' };
    expect(calls).toEqual([
      ['memory_link', decision],
      ['memory_link', { ...decision, remove: true }],
    ]);
  });

  it('are dismissed by removing the link, and undo restores its strength', async () => {
    const { source, calls } = noting();
    expect(await removeLinks(source, [possible])).toBe(true);
    lastNotice()?.action?.run();
    const ends = { from_id: 'new', to_id: 'old', type: 'possible_contradiction' };
    expect(calls).toEqual([
      ['memory_link', { ...ends, remove: true }],
      ['memory_link', { ...ends, strength: 0.97 }],
    ]);
  });
});

/** A source that records its calls, and answers as `memory_link` does. */
function noting(): { readonly source: Source; readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const call = (tool: string, args: object): Promise<unknown> => {
    calls.push([tool, args]);
    return Promise.resolve({ ok: true, value: { removed: 'remove' in args }, text: '' });
  };
  return { source: { call } as unknown as Source, calls };
}

function lastNotice(): { readonly action?: { readonly run: () => void } } | undefined {
  return vi.mocked(notify).mock.lastCall?.[0];
}

describe('the memory plan', () => {
  const line = (action: string, change: string, more: object = {}) => ({
    action,
    id: 'm',
    change,
    reason: 'because',
    ...more,
  });
  const plan = [
    line('decay', 'confidence', { from: '0.9', to: '0.812345' }),
    line('expire', 'delete'),
    line('tiers', 'tier', { from: 'l2', to: 'l3' }),
  ];

  it('is grouped by action, deletions first, with the number of omitted changes', () => {
    const groups = groupsOf({ plan, totals: { decay: 7, expire: 1, tiers: 1, tidy: 2 } });
    expect(groups.map(({ action, lines, more }) => [action, lines.length, more])).toEqual([
      ['expire', 1, 0],
      ['tiers', 1, 0],
      ['decay', 1, 6],
      ['tidy', 0, 2],
    ]);
  });

  it('describes each change', () => {
    expect(plan.map(changeText)).toEqual(['confidence 0.9 → 0.812', 'deleted', 'tier l2 → l3']);
    expect(deletions(plan)).toBe(1);
  });

  it('lists skipped memories with the texts of the plan, and marks deleted ones', () => {
    const due = [
      line('tiers', 'tier', { start: 'A text' }),
      line('decay', 'confidence', { id: 'n', start: 'Another' }),
    ];
    expect(skippedMemories({ plan: due }, { passed_over: ['m', 'n', 'm', 'x'] }, new Set(['m', 'x']))).toEqual([
      { id: 'm', start: 'A text', isGone: false },
      { id: 'n', start: 'Another', isGone: true },
      { id: 'x', start: undefined, isGone: false },
    ]);
    // Where it is unknown, no memory is reported as deleted.
    expect(skippedMemories({ plan: due }, { passed_over: ['n'] }).map(({ isGone }) => isGone)).toEqual([false]);
  });

  it('has the actions of the address, or all without a known one', () => {
    expect(parseMaintenanceUrl({ actions: 'decay,expire' }).actions).toEqual(['expire', 'decay']);
    expect(parseMaintenanceUrl({ actions: 'nonsense' }).actions).toEqual(ACTIONS);
    expect([actionsParam([...ACTIONS]), actionsParam(['decay', 'expire'])]).toEqual([undefined, 'expire,decay']);
  });
});

describe('links that are created again', () => {
  it('are created as they were', () => {
    expect(linkInput(link('a', 'b', { strength: 0.3 }))).toEqual({
      from_id: 'a',
      to_id: 'b',
      type: 'contradicts',
      strength: 0.3,
    });
  });

  it('are described in a sentence with one full stop', () => {
    expect(['It ends.', 'It ends', 'cut…', 'Really?'].map(sentence)).toEqual([
      'It ends.',
      'It ends.',
      'cut…',
      'Really?',
    ]);
  });

  it('keep the descriptions of references', () => {
    const reference = { is_reference: true, type: 'see the other project!', bidirectional: true };
    expect(linkInput(link('a', 'b', reference))).toEqual({
      from_id: 'a',
      to_id: 'b',
      type: 'related',
      description: 'see the other project!',
      bidirectional: true,
    });
    expect(linkInput(link('a', 'b', { ...reference, type: 'related' })).description).toBeUndefined();
  });
});

it('a bulk change stops at the first failure', async () => {
  const asked: number[] = [];
  const done = await each([1, 2, 3], async (row) => {
    asked.push(row);
    return row === 2 ? undefined : row;
  });
  expect([done, asked]).toEqual([[1], [1, 2]]);
});

it('the counts of memories by status add up', () => {
  expect(memoryStatuses(10, 6, 2, 1)).toEqual([
    { name: 'current', count: 10 },
    { name: 'ended', count: 3 },
    { name: 'expired', count: 2 },
    { name: 'contradicted', count: 1 },
  ]);
  expect(memoryStatuses(10, 6, undefined, 1)).toEqual([{ name: 'current', count: 10 }]);
});

it('two texts are compared word by word only if they have much in common', () => {
  expect(
    diffSegments('Deploys go out on Tuesdays', 'Deploys go out on Mondays').filter(({ differs }) => differs),
  ).toEqual([{ text: 'Tuesdays', differs: true }]);
  expect(diffSegments('Deploys go out on Tuesdays', 'The siren rings')).toEqual([
    { text: 'Deploys go out on Tuesdays', differs: false },
  ]);
});

it('an action with its own dialog needs no second confirmation for many rows', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => memory(String(index)));
  const ran: number[] = [];
  const action = {
    title: 'x',
    icon: () => null,
    asks: true,
    fits: () => true,
    run: async (_: unknown, some: readonly unknown[]) => ran.push(some.length) > 0,
  } as unknown as Action<Row>;
  expect(await runAction({} as Source, {} as RecordKind<Row>, action, rows)).toBe(true);
  expect(ran).toEqual([30]);
});
