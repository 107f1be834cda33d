/** What is written into a page: a Limbic export, read into rows as the tools of the toolset `explorer` answer them. */
import type { EntityRow, ObservationRow, ReflectionRow, RelationRow } from '../source/explorer-tools.ts';
import { type Line, maybe, number, push, word } from './line.ts';
import { type Memories, readMemories } from './memories.ts';

/** How often two entities were found by the same search. */
export interface Pair {
  readonly a: string;
  readonly b: string;
  readonly count: number;
  readonly last: string;
}

export interface Day {
  readonly date: string;
  readonly count: number;
}

export interface Memory {
  readonly entities: readonly EntityRow[];
  readonly observations: readonly ObservationRow[];
  readonly relations: readonly RelationRow[];
  readonly reflections: readonly ReflectionRow[];
  readonly pairs: readonly Pair[];
  /** By name. */
  readonly entityOf: ReadonlyMap<string, EntityRow>;
  readonly observationsOf: ReadonlyMap<string, readonly ObservationRow[]>;
  /** Relations that touch an entity. */
  readonly relationsOf: ReadonlyMap<string, readonly RelationRow[]>;
  readonly daysOf: ReadonlyMap<string, readonly Day[]>;
  readonly memories: Memories;
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the lines of an export. What a line says of an entity that is not there is left out. */
export function readMemory(text: string, nowMillis = Date.now()): Memory {
  const lines = new Map<string, Line[]>();
  for (const part of text.split('\n')) {
    if (part.trim() === '') continue;
    const line = JSON.parse(part) as Line;
    push(lines, word(line['record']), line);
  }
  const of = (kind: string): readonly Line[] => lines.get(kind) ?? [];
  const entities = of('entity').map(entity);
  const entityOf = new Map(entities.map((row) => [row.name, row]));
  const knows = (...names: readonly unknown[]): boolean => names.every((name) => entityOf.has(word(name)));

  const observations = observationRows(of('observation').filter((line) => knows(line['entity'])), entityOf);
  const relations = of('relation')
    .filter(({ from, to }) => knows(from, to))
    .map((line, index) => relation(line, index + 1, entityOf));
  const observationsOf = new Map<string, ObservationRow[]>();
  const relationsOf = new Map<string, RelationRow[]>();
  for (const row of observations) {
    push(observationsOf, row.entity, row);
    const owner = entityOf.get(row.entity);
    if (owner !== undefined && row.superseded_at === undefined) owner.observations += 1;
  }
  for (const row of relations) {
    for (const name of new Set([row.from, row.to])) {
      push(relationsOf, name, row);
      const end = entityOf.get(name);
      if (end !== undefined && row.active) end.relations += 1;
    }
  }
  for (const line of of('access')) {
    const owner = entityOf.get(word(line['entity']));
    if (owner === undefined) continue;
    owner.access_count = number(line['count'], 0);
    owner.last_access = maybe(line['last']);
  }
  const daysOf = new Map<string, Day[]>();
  for (const { entity: name, day, count } of of('access_day')) push(daysOf, word(name), { date: word(day), count: number(count, 0) });
  const pairs = of('co_occurrence')
    .filter(({ a, b }) => knows(a, b))
    .map(({ a, b, count, last }) => ({ a: word(a), b: word(b), count: number(count, 0), last: word(last) }));
  const reflections = of('reflection')
    .filter((line) => isOfThisMemory(line, knows))
    .map((line, index) => reflection(line, index + 1, entityOf, relationsOf));
  return { entities, observations, relations, reflections, pairs, entityOf, observationsOf, relationsOf, daysOf, memories: readMemories(of, entityOf, nowMillis) };
}

function entity(line: Line, index: number): Changeable<EntityRow> {
  const created = word(line['created_at']);
  return {
    id: index + 1,
    name: word(line['name']),
    entityType: word(line['entity_type']),
    status: word(line['status']),
    observations: 0,
    relations: 0,
    access_count: 0,
    created_at: created,
    updated_at: maybe(line['updated_at']) ?? created,
  };
}

/** Within an entity an export refers to observations by their numbers; the page knows ids. */
function observationRows(lines: readonly Line[], entityOf: ReadonlyMap<string, EntityRow>): ObservationRow[] {
  const idOf = new Map<string, number>();
  const keyOf = (line: Line, n: unknown): string => JSON.stringify([line['entity'], n]);
  lines.forEach((line, index) => idOf.set(keyOf(line, line['n']), index + 1));
  const rows = lines.map((line, index): Changeable<ObservationRow> => {
    const name = word(line['entity']);
    return {
      id: index + 1,
      entity_id: entityOf.get(name)?.id ?? 0,
      entity: name,
      content: word(line['content']),
      kind: maybe(line['kind']) ?? 'generic',
      supersedes: line['supersedes'] === undefined ? undefined : idOf.get(keyOf(line, line['supersedes'])),
      superseded_at: maybe(line['superseded_at']),
      similarity_flag: 0,
      created_at: word(line['created_at']),
    };
  });
  for (const { id, supersedes } of rows) {
    const before = supersedes === undefined ? undefined : rows[supersedes - 1];
    if (before !== undefined) before.superseded_by = id;
  }
  return rows;
}

function relation(line: Line, id: number, entityOf: ReadonlyMap<string, EntityRow>): RelationRow {
  const [from, to] = [word(line['from']), word(line['to'])];
  return {
    id,
    from_id: entityOf.get(from)?.id ?? 0,
    to_id: entityOf.get(to)?.id ?? 0,
    from,
    to,
    relationType: word(line['relation_type']),
    context: maybe(line['context']),
    weight: number(line['weight'], 1),
    active: line['active'] !== false,
    ended_at: maybe(line['ended_at']),
    created_at: word(line['created_at']),
  };
}

function isOfThisMemory(line: Line, knows: (...names: readonly unknown[]) => boolean): boolean {
  if (line['target_type'] === 'entity') return knows(line['entity']);
  return line['target_type'] !== 'relation' || knows(line['from'], line['to']);
}

function reflection(
  line: Line,
  id: number,
  entityOf: ReadonlyMap<string, EntityRow>,
  relationsOf: ReadonlyMap<string, readonly RelationRow[]>,
): ReflectionRow {
  const { from, to, relation_type: type } = line;
  const on = word(line['target_type']);
  const about = on !== 'relation' ? undefined : relationsOf.get(word(from))?.find((row) => row.from === from && row.to === to && row.relationType === type);
  return {
    id,
    target_type: on,
    target_id: on === 'entity' ? entityOf.get(word(line['entity']))?.id : on === 'session' ? number(line['session'], 0) : about?.id,
    target: on === 'entity' ? word(line['entity']) : on === 'relation' ? `${word(from)} ${word(type)} ${word(to)}` : undefined,
    author: word(line['author']),
    mood: maybe(line['mood']),
    content: word(line['content']),
    created_at: word(line['created_at']),
  };
}
