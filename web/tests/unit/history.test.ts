import { describe, expect, it } from 'vitest';
import { restorePlan } from '../../src/mutations/restore.ts';
import { facts, type Observation } from '../../src/inspector/entity/history.ts';

const text = (id: number, content: string, more: Partial<Observation> = {}): Observation => ({
  id,
  entity_id: 1,
  entity: 'e',
  content,
  kind: 'generic',
  similarity_flag: 0,
  created_at: '',
  vector: 'stored',
  ...more,
});
const chain = [
  text(1, 'a', { superseded_at: 't', superseded_by: 2 }),
  text(2, 'b', { superseded_at: 't', supersedes: 1, superseded_by: 4 }),
  text(3, 'x'),
  text(4, 'c', { supersedes: 2 }),
];

describe('facts', () => {
  it('are shown with those that they superseded, latest first', () => {
    expect(
      facts(chain).facts.map(({ current, earlier }) => [current.content, earlier.map(({ content }) => content)]),
    ).toEqual([
      ['x', []],
      ['c', ['b', 'a']],
    ]);
  });

  it('show a superseded text whose successor was deleted', () => {
    expect(facts([chain[0] as Observation]).orphans.map(({ content }) => content)).toEqual(['a']);
  });

  it('terminate if texts supersede each other in a cycle', () => {
    expect(
      facts([text(1, 'a', { supersedes: 2 }), text(2, 'b', { supersedes: 1, superseded_at: 't' })]).facts,
    ).toHaveLength(1);
  });
});

describe('recreating observations', () => {
  it('stores texts in order, each superseding its predecessor', () => {
    const plan = restorePlan({
      entity: {
        id: 1,
        name: 'e',
        entityType: 'T',
        status: 'pausado',
        observations: 2,
        relations: 0,
        access_count: 0,
        created_at: '',
        updated_at: '',
      },
      observations: chain,
      relations: [],
      found_together: [],
      vector: 'stored',
      access: { count: 0, days: [] },
      reflections: [
        { id: 1, target_type: 'relation', author: 'a', content: 'not its own', created_at: '' },
        { id: 2, target_type: 'entity', author: 'a', content: 'its own', created_at: '' },
      ],
    });
    expect(plan.observations.map(({ content, replaces }) => [content, replaces])).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['x', undefined],
      ['c', 'b'],
    ]);
    expect(plan.reflections.map(({ content }) => content)).toEqual(['its own']);
    expect(plan.entity.entities[0]?.status).toBe('pausado');
  });
});
