import { seededRandom } from 'limbic-shell/seeded-random.ts';
import type { EntityRow, RelationRow } from '../../src/source/explorer-tools.ts';

export interface FakeMemory {
  readonly entities: EntityRow[];
  readonly relations: RelationRow[];
}

const TYPES = ['Project', 'Service', 'Person', 'Decision', 'Incident', 'Library', 'Session'];
const RELATIONS = ['uses', 'depends_on', 'owns', 'decided', 'mentions', 'part_of'];
const WORDS = [
  'Atlas',
  'Borealis',
  'Cinder',
  'Drift',
  'Ember',
  'Fathom',
  'Grove',
  'Harbor',
  'Iris',
  'Juniper',
  'Kestrel',
  'Lumen',
];

/** A memory of any size, the same each time; few entities have most of the relations. */
export function fakeMemory(size: number): FakeMemory {
  const random = seededRandom(7);
  const time = (index: number): string =>
    new Date(Date.UTC(2026, 4, 1) + (index / size) * 190 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  const entities: EntityRow[] = Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    name: `${WORDS[index % WORDS.length]} ${TYPES[(index * 5) % TYPES.length]?.toLowerCase()} ${index + 1}`,
    entityType: TYPES[(index * 5) % TYPES.length] ?? '',
    status: index % 11 === 0 ? 'pausado' : index % 17 === 0 ? 'archivado' : 'activo',
    observations: 1 + (index % 9),
    relations: 0,
    access_count: Math.floor(40 * random() ** 4),
    created_at: time(index),
    updated_at: time(Math.min(size - 1, index + 3)),
  }));
  const relations: RelationRow[] = [];
  for (let index = 1; index < size; index += 1) {
    for (let count = 0; count < 1 + (index % 5 === 0 ? 5 : index % 3); count += 1) {
      const other =
        count === 0 ? Math.floor(random() ** 2 * index) : Math.max(0, index - 1 - Math.floor(random() * 12));
      const [from, to] = [entities[index], entities[other]];
      if (from === undefined || to === undefined || from === to) continue;
      from.relations += 1;
      to.relations += 1;
      relations.push({
        id: relations.length + 1,
        from_id: from.id,
        to_id: to.id,
        from: from.name,
        to: to.name,
        relationType: RELATIONS[Math.floor(random() * RELATIONS.length)] ?? '',
        weight: 1,
        active: true,
        created_at: from.created_at,
      });
    }
  }
  return { entities, relations };
}
