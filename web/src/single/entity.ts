/** What `explore_entity` answers. */
import type { Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';

const FOUND_TOGETHER_MAX = 50;

export function entity(memory: Memory, name: string): Output<'explore_entity'> {
  const row = memory.entityOf.get(name);
  if (row === undefined) throw refusal('not_found', `There is no entity of this name in this page: ${name}`);
  const relations = memory.relationsOf.get(name) ?? [];
  const ids = new Set(relations.map(({ id }) => id));
  const isAboutIt = (on: string, id: number | undefined): boolean =>
    id !== undefined && ((on === 'entity' && id === row.id) || (on === 'relation' && ids.has(id)));
  const together = memory.pairs
    .filter(({ a, b }) => a === name || b === name)
    .flatMap(({ a, b, count, last }) => {
      const other = memory.entityOf.get(a === name ? b : a);
      return other === undefined ? [] : [{ id: other.id, name: other.name, entityType: other.entityType, count, last }];
    })
    .sort((one, two) => two.count - one.count || one.id - two.id);
  return {
    entity: row,
    observations: (memory.observationsOf.get(name) ?? []).map((observation) => ({ ...observation, vector: 'none' })),
    relations: [...relations],
    reflections: memory.reflections.filter(({ target_type, target_id }) => isAboutIt(target_type, target_id)),
    access: { count: row.access_count, last: row.last_access, days: [...(memory.daysOf.get(name) ?? [])] },
    found_together: together.slice(0, FOUND_TOGETHER_MAX),
    vector: 'none',
  };
}
