import { describe, expect, it } from 'vitest';
import {
  entityRecords,
  exportText,
  relationRecords,
  textRecords,
  type EntitySnapshot,
} from '../../src/mutations/undo-snapshot.ts';

const text = (id: number, content: string, more = {}) => ({
  id,
  entity_id: 1,
  entity: 'e',
  content,
  kind: 'generic',
  similarity_flag: 0,
  created_at: `2026-01-0${id}`,
  vector: 'stored',
  ...more,
});
const relation = {
  id: 7,
  from_id: 1,
  to_id: 2,
  from: 'e',
  to: 'f',
  relationType: 'uses',
  weight: 0.5,
  active: false,
  created_at: '2026-01-01',
  ended_at: '2026-02-01',
};
const whole: EntitySnapshot = {
  entity: {
    id: 1,
    name: 'e',
    entityType: 'T',
    status: 'activo',
    observations: 2,
    relations: 0,
    access_count: 3,
    created_at: '2026-01-01',
    updated_at: '2026-03-01',
  },
  observations: [
    text(1, 'a', { superseded_at: '2026-01-03', superseded_by: 3 }),
    text(2, 'b'),
    text(3, 'c', { supersedes: 1 }),
  ],
  relations: [relation],
  reflections: [
    {
      id: 1,
      target_type: 'entity',
      target_id: 1,
      target: 'e',
      author: 'x',
      content: 'on it',
      created_at: '2026-01-04',
    },
    {
      id: 2,
      target_type: 'relation',
      target_id: 7,
      target: 'e uses f',
      author: 'x',
      content: 'on its relation',
      created_at: '2026-01-05',
    },
  ],
  access: { count: 3, last: '2026-02-02', days: [{ date: '2026-02-02', count: 3 }] },
  found_together: [{ id: 2, name: 'f', entityType: 'T', count: 2, last: '2026-02-02' }],
  vector: 'stored',
};

describe('the snapshot of a deletion', () => {
  it('contains dates and accesses', () => {
    const records = entityRecords([whole]);
    expect(records.map(({ record }) => record)).toEqual([
      'entity',
      'observation',
      'observation',
      'observation',
      'relation',
      'reflection',
      'reflection',
      'access',
      'access_day',
      'co_occurrence',
    ]);
    expect(records[0]).toMatchObject({ created_at: '2026-01-01', updated_at: '2026-03-01' });
    expect(records[3]).toMatchObject({ n: 3, supersedes: 1, created_at: '2026-01-03' });
    expect(records[4]).toMatchObject({ relation_type: 'uses', active: false, ended_at: '2026-02-01' });
    expect(records[6]).toMatchObject({ from: 'e', relation_type: 'uses', to: 'f' });
  });

  it('of an observation contains its neighbours in the history', () => {
    expect(textRecords(whole, ({ id }) => id === 3).map(({ content }) => content)).toEqual(['a', 'c']);
    expect(textRecords(whole, ({ id }) => id === 2).map(({ content }) => content)).toEqual(['b']);
  });

  it('of a relation contains its reflections, not those of the entity', () => {
    expect(relationRecords(whole, ({ id }) => id === 7).map(({ record, content }) => [record, content])).toEqual([
      ['relation', undefined],
      ['reflection', 'on its relation'],
    ]);
  });

  it('is an export with header and end records', () => {
    const lines = exportText(entityRecords([whole]))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(12);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ record: 'end', records: 10 });
  });
});
