import { describe, expect, it } from 'vitest';
import {
  supersededBy,
  memoryRecords,
  stateRecord,
  type MemorySnapshot,
} from '../../src/mutations/undo-snapshot-memories.ts';

const link = (id: string, from_id: string, to_id: string, more: object = {}) => ({
  id,
  is_reference: false,
  from_id,
  to_id,
  from: '',
  to: '',
  from_domain: 'general',
  to_domain: 'general',
  type: 'supports',
  strength: 0.5,
  bidirectional: false,
  created_at: '2026-01-03 00:00:00',
  ...more,
});
const whole = (id: string, more: Partial<MemorySnapshot> = {}): MemorySnapshot => ({
  memory: {
    id,
    content: `text of ${id}`,
    category: 'decision',
    subject: 'testing',
    domain: 'general',
    memory_type: 'semantic',
    tier: 'l2',
    heat: 'warm',
    pinned: true,
    status: 'ended',
    tags: ['x'],
    importance: 3,
    confidence: 0.8,
    effective_confidence: 0.5,
    links: 1,
    entities: 2,
    access_count: 4,
    last_accessed: '2026-02-01 00:00:00',
    user_id: 'ada',
    valid_until: '2026-03-01 00:00:00',
    invalidation_reason: 'moved',
    created_at: '2026-01-01 00:00:00',
    updated_at: '2026-03-01 00:00:00',
    metadata: { a: [1] },
  },
  times: {
    created_at: '2026-01-01T00:00:00.001Z',
    stated_at: '2026-02-02T00:00:00.002Z',
    updated_at: '2026-03-01T00:00:00.003Z',
    last_accessed: '2026-02-01T00:00:00.004Z',
    confidence_at: '2026-02-02T00:00:00.005Z',
    valid_until: '2026-03-01T00:00:00.006Z',
  },
  history: [{ content: 'before', confidence: 0.7, replaced_at: '2026-01-05 00:00:00' }],
  links: [],
  entities: [
    { id: 1, name: 'Ada', entityType: 'Person', given: true },
    { id: 2, name: 'Atlas', entityType: 'Project', given: false },
  ],
  confidence: {
    points: [
      { at: '2026-01-05 00:00:00', value: 0.7, is_expected: false },
      { at: '2026-02-02 00:00:00', value: 0.8, is_expected: false },
      { at: '2026-03-02 00:00:00', value: 0.5, is_expected: false },
    ],
  },
  sessions: [{ session_id: 's', last_used: '2026-02-01 00:00:00' }],
  audit: [{ at: '2026-01-01 00:00:00', action: 'store' }],
  symbols: [],
  vector: 'stored',
  ...more,
});

describe('the snapshot of deleted memories', () => {
  it('contains exact times, accesses, history, sessions and explicitly linked entities', () => {
    const records = memoryRecords([whole('a')]);
    expect(records.map(({ record }) => record)).toEqual([
      'memory',
      'memory_mention',
      'memory_history',
      'memory_session',
    ]);
    expect(records[0]).toMatchObject({
      id: 'a',
      content: 'text of a',
      confidence: 0.8,
      confidence_at: '2026-02-02T00:00:00.005Z',
      access_count: 4,
      last_accessed: '2026-02-01T00:00:00.004Z',
      created_at: '2026-01-01T00:00:00.001Z',
      stated_at: '2026-02-02T00:00:00.002Z',
      updated_at: '2026-03-01T00:00:00.003Z',
      valid_until: '2026-03-01T00:00:00.006Z',
      invalidation_reason: 'moved',
      tags: ['x'],
      pinned: true,
      user_id: 'ada',
      metadata: '{"a":[1]}',
    });
    // Fields that follow from others are omitted.
    for (const name of ['status', 'links', 'entities', 'effective_confidence'])
      expect(records[0]).not.toHaveProperty(name);
    expect(records[1]).toEqual({ record: 'memory_mention', memory: 'a', entity: 'Ada' });
    expect(records[2]).toEqual({
      record: 'memory_history',
      memory: 'a',
      content: 'before',
      confidence: 0.7,
      replaced_at: '2026-01-05 00:00:00',
    });
    expect(records[3]).toEqual({ record: 'memory_session', memory: 'a', session: 's', last: '2026-02-01 00:00:00' });
  });

  it('has links and references after all memories, without duplicates', () => {
    const between = link('a-b-supports', 'a', 'b');
    const reference = link('r', 'c', 'a', {
      is_reference: true,
      from_domain: 'other',
      type: 'see there',
      bidirectional: true,
      strength: 1,
    });
    const records = memoryRecords([whole('a', { links: [between, reference] }), whole('b', { links: [between] })]);
    expect(records.slice(0, 4).map(({ record }) => record)).toEqual([
      'memory',
      'memory',
      'memory_edge',
      'memory_reference',
    ]);
    expect(records.filter(({ record }) => record === 'memory_edge')).toHaveLength(1);
    expect(records[2]).toEqual({
      record: 'memory_edge',
      id: 'a-b-supports',
      from: 'a',
      link_type: 'supports',
      to: 'b',
      strength: 0.5,
      at: '2026-01-03 00:00:00',
    });
    expect(records[3]).toEqual({
      record: 'memory_reference',
      from: 'c',
      domain: 'other',
      to: 'a',
      target_domain: 'general',
      description: 'see there',
      bidirectional: true,
    });
  });

  it('restores the memories that it had superseded', () => {
    const links = [
      link('1', 'a', 'b', { type: 'supersedes' }),
      link('2', 'c', 'a', { type: 'supersedes' }),
      link('3', 'a', 'd'),
    ];
    expect(supersededBy(whole('a', { links })).map(({ to_id }) => to_id)).toEqual(['b']);
  });
});

describe('the record of a memory', () => {
  it('has the metadata as it is: its tool does not escape it', () => {
    const { memory } = whole('a');
    const record = stateRecord({ ...whole('a'), memory: { ...memory, metadata: { note: 'soft<U+00AD>hyphen' } } });
    expect(record['metadata']).toBe('{"note":"soft<U+00AD>hyphen"}');
  });
});
