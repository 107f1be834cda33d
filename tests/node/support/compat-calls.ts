/** Random calls from a seed, over few names and texts, so that calls often refer to the same records. */

import { seededRandom } from 'limbic-shell/seeded-random.ts';

/** A tool and its arguments. */
export type Call = readonly [name: string, args: Record<string, unknown>];

const NAMES = ['a', 'b', 'A', 'é', 'e\u0301', 'ab', '', 'c c'];
const TYPES = ['t', 'T', '', 'é'];
const TEXTS = ['x', 'X', 'xy', '', 'é', 'e\u0301', 'a', 'Σς'];
const QUERIES = ['', 'a', 'X', 'É', 'e\u0301', 'xy', 'zz', 'ς', ' '];

/** Returns `count` calls, the same for each seed. Lists of records to create have no duplicates. */
export function generated(seed: number, count: number): Call[] {
  const next = seededRandom(seed);
  const random = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const some = <T>(make: () => T, most: number): T[] => Array.from({ length: random(most + 1) }, make);
  const relation = (): object => ({ from: pick(NAMES), to: pick(NAMES), relationType: pick(['r', 'R', '']) });
  const entity = (): object => ({
    name: pick(NAMES),
    entityType: pick(TYPES),
    observations: some(() => pick(TEXTS), 4),
  });
  const makers: readonly (() => Call)[] = [
    () => ['create_entities', { entities: unique(some(entity, 3), ['name']) }],
    () => ['create_relations', { relations: unique(some(relation, 4), ['from', 'to', 'relationType']) }],
    () => [
      'add_observations',
      { observations: some(() => ({ entityName: pick(NAMES), contents: some(() => pick(TEXTS), 3) }), 2) },
    ],
    () => [
      'delete_observations',
      { deletions: some(() => ({ entityName: pick(NAMES), observations: some(() => pick(TEXTS), 3) }), 2) },
    ],
    () => ['delete_relations', { relations: some(relation, 3) }],
    () => ['delete_entities', { entityNames: some(() => pick(NAMES), 4) }],
    () => ['search_nodes', { query: pick(QUERIES) }],
    () => ['open_nodes', { names: some(() => pick(NAMES), 3) }],
  ];
  // Creating calls are more frequent, so that there are records to find and to delete.
  const weighted = [...makers, ...makers.slice(0, 3), ...makers.slice(0, 2)];
  return Array.from({ length: count }, () => pick(weighted)());
}

function unique(items: readonly object[], keys: readonly string[]): object[] {
  const keyOf = (item: object): string => JSON.stringify(keys.map((key) => (item as Record<string, unknown>)[key]));
  return items.filter((item, place) => items.findIndex((other) => keyOf(other) === keyOf(item)) === place);
}
