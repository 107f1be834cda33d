import { describe, expect, it } from 'vitest';
import { byEntity, inChunks } from '../../src/mutations/bulk.ts';
import { undoPlan, batchesOf } from '../../src/mutations/undo-plan.ts';
import { differences, groupsOf, suggestedKeeper } from '../../src/views/maintenance/duplicates/groups.ts';
import { verdict } from '../../src/views/maintenance/quality/report.ts';
import {
  approved,
  changed,
  draftOf,
  dropped,
  extended,
  moved,
  problems,
  STAYS,
} from '../../src/views/maintenance/splits/draft.ts';
import { ACTIONS, parseMaintenanceUrl } from '../../src/views/maintenance/maintenance-url-state.ts';

const facts = ['a', 'b', 'c', 'd'].map((content, index) => ({ id: index + 1, content }));
const proposal = {
  original_entity: { name: 'Atlas', entity_type: 'Project' },
  suggested_splits: [
    { name: 'Atlas - One', entity_type: 'Project', observations: ['a', 'b'] },
    { name: 'Atlas - Two', entity_type: 'Project', observations: ['b', 'c', 'not there'] },
  ],
  relations_to_create: [],
  analysis: { observation_count: 4, threshold: 2, split_score: 2, num_topics: 2 },
};
const draft = draftOf('Atlas', 'Project', facts, proposal);
const layout = ({ stays, parts }: typeof draft): string[] =>
  [stays, ...parts.map((part) => part.facts)].map((list) => list.map(({ content }) => content).join(''));

describe('the draft of a split', () => {
  it('has each existing observation exactly once', () => {
    expect(layout(draft)).toEqual(['d', 'ab', 'c']);
  });

  it('moves observations between parts and keeps their order', () => {
    expect(layout(moved(draft, new Set([3, 4]), 'part 0'))).toEqual(['', 'abcd', '']);
    expect(layout(moved(draft, new Set([1]), STAYS))).toEqual(['ad', 'b', 'c']);
  });

  it('ignores a move to an unknown part', () => {
    expect(moved(draft, new Set([1]), 'part 9')).toBe(draft);
  });

  it('keeps the observations of a removed part in the entity', () => {
    expect(layout(dropped(draft, 'part 0'))).toEqual(['abd', 'c']);
  });

  it('gives a new part a unique key', () => {
    const more = extended(dropped(extended(draft), 'part 0'));
    expect(new Set(more.parts.map(({ key }) => key)).size).toBe(more.parts.length);
  });

  it('reports problems of each part', () => {
    const wrong = (next: typeof draft): string[] => [...problems(next).keys()];
    expect(wrong(draft)).toEqual([]);
    expect(wrong(changed(draft, 'part 0', { name: ' ' }))).toEqual(['part 0']);
    expect(wrong(changed(draft, 'part 0', { name: 'Atlas' }))).toEqual(['part 0']);
    expect(wrong(changed(draft, 'part 0', { name: 'Atlas - Two ' }))).toEqual(['part 0', 'part 1']);
    expect(wrong(changed(draft, 'part 1', { entityType: '' }))).toEqual(['part 1']);
    expect(wrong(moved(draft, new Set([3]), STAYS))).toEqual(['part 1']);
  });

  it('is applied with trimmed names', () => {
    expect(approved(changed(draft, 'part 1', { name: ' Borealis ' }))[1]).toEqual({
      name: 'Borealis',
      entity_type: 'Project',
      observations: ['c'],
    });
  });

  it('starts without parts if nothing is proposed', () => {
    expect(layout(draftOf('Atlas', 'Project', facts, null))).toEqual(['abcd']);
  });
});

describe('undo of a split', () => {
  const rows = [
    { id: 1, content: 'old', kind: 'generic', superseded_at: '2026-01-01 00:00:00' },
    { id: 2, content: 'stays', kind: 'generic' },
    { id: 3, content: 'mid', kind: 'metric', supersedes: 1, superseded_at: '2026-01-02 00:00:00' },
    { id: 4, content: 'now', kind: 'metric', supersedes: 3 },
  ];

  it('restores history with the moved observations, oldest first', () => {
    expect(undoPlan(rows, ['now']).map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(undoPlan(rows, ['now'])[1]).toEqual({ id: 3, content: 'mid', kind: 'metric', supersedes: 1 });
  });

  it('does not restore superseded texts as current', () => {
    expect(undoPlan(rows, ['old'])).toEqual([]);
  });

  it('batches calls by kind and history, in the same order', () => {
    const step = (id: number, kind: string, supersedes?: number) => ({ id, kind, supersedes });
    const runs = batchesOf([step(1, 'a'), step(2, 'a'), step(3, 'b'), step(4, 'a'), step(5, 'a', 4), step(6, 'a')]);
    expect(runs.map((run) => run.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5], [6]]);
  });

  it('terminates if history has a cycle', () => {
    expect(undoPlan([{ id: 1, content: 'x', kind: 'generic', supersedes: 1 }], ['x']).length).toBe(1);
  });
});

describe('near-duplicates', () => {
  const pair = (id_a: number, id_b: number, similarity_score: number, match_type = 'cosine') => ({
    id_a,
    id_b,
    obs_text_a: `text ${id_a}`,
    obs_text_b: `text ${id_b}`,
    similarity_score,
    match_type,
  });

  it('are grouped, the most similar first', () => {
    const groups = groupsOf({
      duplicate_pairs: [pair(1, 2, 0.9), pair(5, 6, 0.99, 'containment'), pair(2, 3, 0.95)],
      clusters: [
        [3, 2, 1],
        [5, 6],
      ],
    });
    expect(groups.map(({ key, likeness, ways }) => [key, likeness, ways])).toEqual([
      ['5 6', 0.99, ['containment']],
      ['1 2 3', 0.95, ['cosine']],
    ]);
  });

  it('form no group if the texts of the others are unknown', () => {
    expect(groupsOf({ duplicate_pairs: [pair(1, 2, 0.9)], clusters: [[1, 9]] })).toEqual([]);
  });

  it('suggest the longest text, of equals the newest', () => {
    expect(
      suggestedKeeper([
        { id: 1, text: 'long one' },
        { id: 2, text: 'short' },
      ]),
    ).toBe(1);
    expect(
      suggestedKeeper([
        { id: 1, text: 'same' },
        { id: 2, text: 'same' },
      ]),
    ).toBe(2);
  });

  it('mark the words that the others lack, without losing characters', () => {
    const text = 'Two instances run,  <b>side</b> by side.\n';
    const pieces = differences(text, ['Two INSTANCES run by side']);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.filter(({ differs }) => differs).map((piece) => piece.text.trim())).toEqual(['<b>side</b>']);
  });
});

it('texts are grouped by entity', () => {
  const row = (entity: string, content: string) => ({ entity, content });
  expect(byEntity([row('A', '1'), row('B', '2'), row('A', '3')])).toEqual([
    { entity: 'A', contents: ['1', '3'] },
    { entity: 'B', contents: ['2'] },
  ]);
});

it('the maintenance parameters are limited to what the tools accept', () => {
  expect(parseMaintenanceUrl({ part: 'x', stale: '99999999', days: '-4' })).toEqual({
    part: 'duplicates',
    entity: undefined,
    staleDays: 36_500,
    qualityDays: 0,
    actions: ACTIONS,
  });
  expect(parseMaintenanceUrl({ part: 'splits', entity: 'A', stale: 'x' })).toMatchObject({
    part: 'splits',
    entity: 'A',
    staleDays: 90,
  });
  expect(parseMaintenanceUrl({ part: 'maintenance' }).part).toBe('plan');
});

it('the verdict on search quality compares only judged searches', () => {
  const report = (limbic?: number, baseline?: number) => ({
    events: 3,
    parameters: {},
    by_treatment: [
      { treatment: 'limbic', n: 2, ndcg_at_5: limbic },
      { treatment: 'baseline', n: 1, ndcg_at_5: baseline },
    ],
  });
  expect(verdict(report(0.8, 0.6))).toContain('higher, by 20');
  expect(verdict(report(0.5, 0.6))).toMatch(/^Ranking by relevance only/);
  expect(verdict(report(0.5))).toContain('no baseline to compare');
  expect(verdict(report())).toContain('nothing to measure yet');
});

describe('a change of many records', () => {
  const many = Array.from({ length: 2500 }, (_, index) => index);

  it('is split into calls of at most a thousand items', async () => {
    expect(await inChunks(many, async (some) => some.length)).toEqual({ results: [1000, 1000, 500], isComplete: true });
  });

  it('stops at the first failing call and reports it', async () => {
    let calls = 0;
    const done = await inChunks(many, async (some) => ((calls += 1) === 2 ? undefined : some.length));
    expect([calls, done]).toEqual([2, { results: [1000], isComplete: false }]);
  });
});
