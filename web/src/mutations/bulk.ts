/** Changes of one or more records, each with one toast and one undo. */
import { notify, notifyError } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { ObservationRow, RelationRow } from '../source/explorer-tools.ts';
import { forgetSearches } from '../source/kept-searches.ts';
import type { Source } from '../source/source.ts';
import { type Caller, callTool, notifyGone, restore } from './mutations.ts';
import {
  entityRecords,
  type EntitySnapshot,
  type Mention,
  offerUndo,
  relationRecords,
  textRecords,
} from './undo-snapshot.ts';
import { restoreEach } from './restore-each.ts';
import { restorePlan, type RestorePlan } from './restore.ts';

/** The fields of a relation that are needed to end it and to create it again. */
type EndedRelation = Pick<RelationRow, 'id' | 'from' | 'to' | 'relationType' | 'context' | 'weight' | 'active'>;

const DATES_LOST = 'Undo creates it again with today’s date.';
/** A superseded observation cannot be superseded again. */
const HISTORY_LOST = 'Undo creates it again with today’s date; its earlier texts stay without a successor.';

export async function deleteEntities(source: Source, names: readonly string[]): Promise<boolean> {
  const before = await entitySnapshots(source, names);
  if (before === undefined) return false;
  const mentions = await explicitMentions(source, before);
  const present = before.map(({ entity }) => entity.name);
  const done = await inChunks(present, (entityNames) => callTool(source, 'delete_entities', { entityNames }));
  const count = done.results.reduce((sum, { deleted }) => sum + deleted.length, 0);
  if (count === 0) return false;
  forgetSearches();
  offerUndo(source, {
    text:
      count === 1
        ? `Deleted “${done.results.flatMap(({ deleted }) => deleted)[0] ?? present[0]}”`
        : `Deleted ${counted(count, 'entity', 'entities')}`,
    what: mentions === undefined ? 'Explicit links of memories to it are not restored.' : undefined,
    records: entityRecords(before, mentions),
    isComplete: before.every(({ omitted }) => omitted === undefined),
    undoByTools: async (to) => {
      await restoreEntities(to, before.map(restorePlan));
      await restoreMentions(to, mentions ?? []);
    },
    undoByToolsNote: 'Undo restores texts, history, relations and reflections, but not dates and access counts.',
  });
  return done.isComplete;
}

/** Snapshots of these entities, without duplicates, and without those that another client has deleted meanwhile. */
async function entitySnapshots(source: Source, names: readonly string[]): Promise<EntitySnapshot[] | undefined> {
  const snapshots: EntitySnapshot[] = [];
  for (const name of new Set(names)) {
    const snapshot = await source.call('explore_entity', { name });
    if (snapshot.ok) snapshots.push(snapshot.value);
    else if (snapshot.error.code !== 'entity_not_found') {
      notifyError(snapshot.error);
      return undefined;
    }
  }
  if (snapshots.length > 0) return snapshots;
  notifyGone();
  return undefined;
}

/**
 * The memories that were linked to these entities explicitly; links that were found in texts are found again. The page
 * in a host has no tool that knows them: the answer is `undefined`.
 */
async function explicitMentions(
  source: Source,
  snapshots: readonly EntitySnapshot[],
): Promise<readonly Mention[] | undefined> {
  const nameOf = new Map(snapshots.map(({ entity: { id, name } }) => [id, name]));
  const mentions: Mention[] = [];
  for (const ids of chunksOf([...nameOf.keys()])) {
    const sql = `SELECT memory_id, entity_id FROM memory_entities WHERE given AND entity_id IN (${ids.join(', ')})`;
    const found = await source.call('query_sql', { sql, limit: MAX_MENTIONS });
    if (!found.ok) return undefined;
    for (const [memory, id] of found.value.rows) {
      const entity = nameOf.get(Number(id));
      if (entity !== undefined) mentions.push({ memory: String(memory), entity });
    }
  }
  return mentions;
}

/** Links memories to restored entities again, beside those that they are linked to now. */
async function restoreMentions(source: Caller, mentions: readonly Mention[]): Promise<void> {
  await restoreEach([...new Set(mentions.map(({ memory }) => memory))], async (id) => {
    const now = await source.call('explore_memory', { id });
    if (!now.ok) return now;
    const given = now.value.entities.filter((entity) => entity.given).map(({ name }) => name);
    const lost = mentions.filter(({ memory }) => memory === id).map(({ entity }) => entity);
    return source.call('memory_update', { id, entities: [...given, ...lost] });
  });
}

/** Entities are restored first, since a relation needs both of its ends. `restore` reports those that failed. */
async function restoreEntities(source: Caller, plans: readonly RestorePlan[]): Promise<void> {
  for (const some of chunksOf(plans.flatMap(({ entity }) => entity.entities))) {
    if ((await source.call('create_entities', { entities: some })).ok) continue;
    for (const entity of some) await source.call('create_entities', { entities: [entity] });
  }
  for (const plan of plans) await restore(source, plan, plan.entity.entities[0]?.name ?? '');
}

export async function deleteObservations(source: Source, rows: readonly ObservationRow[]): Promise<boolean> {
  const before = await entitySnapshots(
    source,
    rows.map(({ entity }) => entity),
  );
  if (before === undefined) return false;
  const remove = (some: readonly ObservationRow[]) =>
    callTool(source, 'delete_observations', {
      deletions: byEntity(some).map(({ entity, contents }) => ({ entityName: entity, observations: contents })),
    });
  const done = await inChunks(rows, remove);
  if (done.results.length === 0) return false;
  // The tool deletes by text, so duplicates are deleted together.
  const gone = new Map(byEntity(rows).map(({ entity, contents }) => [entity, new Set(contents)]));
  offerUndo(source, {
    text: `Deleted ${counted(rows.length, 'observation')}`,
    what: rows.length === 1 ? rows[0]?.content : undefined,
    records: before.flatMap((snapshot) =>
      textRecords(snapshot, ({ entity, content }) => gone.get(entity)?.has(content) === true),
    ),
    undoByTools: (to) => recreateObservations(to, rows),
    undoByToolsNote: rows.some(({ supersedes }) => supersedes !== undefined) ? HISTORY_LOST : DATES_LOST,
  });
  return done.isComplete;
}

async function recreateObservations(source: Caller, rows: readonly ObservationRow[]): Promise<void> {
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const parts = kinds.flatMap((kind) =>
    chunksOf(rows.filter((row) => row.kind === kind)).map((some) => ({ kind, some })),
  );
  await restoreEach(parts, ({ kind, some }) =>
    source.call('add_observations', {
      observations: byEntity(some).map(({ entity, contents }) => ({ entityName: entity, contents })),
      kind,
    }),
  );
}

export async function deleteRelations(source: Source, rows: readonly RelationRow[]): Promise<boolean> {
  const before = await entitySnapshots(
    source,
    rows.map(({ from }) => from),
  );
  if (before === undefined) return false;
  const relations = rows.map(({ from, to, relationType }) => ({ from, to, relationType }));
  const done = await inChunks(relations, (some) => callTool(source, 'delete_relations', { relations: some }));
  const count = done.results.reduce((sum, { deleted }) => sum + deleted.length, 0);
  if (count === 0) return false;
  const gone = new Set(rows.map(({ id }) => id));
  const [first] = rows;
  offerUndo(source, {
    text: `Deleted ${counted(count, 'relation')}`,
    what: rows.length === 1 && first !== undefined ? `${first.from} ${first.relationType} ${first.to}` : undefined,
    records: before.flatMap((snapshot) => relationRecords(snapshot, ({ id }) => gone.has(id))),
    undoByTools: (to) => recreateRelations(to, rows),
    undoByToolsNote: DATES_LOST,
  });
  return done.isComplete;
}

/** Ends relations, one after the other until a call fails. Returns whether all of them were ended. */
export async function endRelations(source: Source, rows: readonly EndedRelation[]): Promise<boolean> {
  const ended: EndedRelation[] = [];
  for (const row of rows) {
    if ((await callTool(source, 'end_relation', { relation_id: row.id })) === undefined) break;
    ended.push(row);
  }
  const [first] = ended;
  if (first === undefined) return false;
  notify({
    text: `Ended ${counted(ended.length, 'relation')}`,
    detail: ended.length === 1 ? `${first.from} ${first.relationType} ${first.to}` : undefined,
    action: { label: 'Undo', run: () => void recreateRelations(source, ended) },
  });
  return ended.length === rows.length;
}

/** Creates relations again; ended ones are ended again. */
async function recreateRelations(source: Caller, rows: readonly EndedRelation[]): Promise<void> {
  const ended: number[] = [];
  await restoreEach(chunksOf(rows), async (some) => {
    const relations = some.map(({ from, to, relationType, context, weight }) => ({
      from,
      to,
      relationType,
      context,
      weight,
    }));
    const answer = await source.call('create_relations', { relations });
    const stored = answer.ok ? answer.value.relations : [];
    ended.push(...stored.flatMap(({ id }, index) => (id === undefined || some[index]?.active !== false ? [] : [id])));
    return answer;
  });
  await restoreEach(ended, (id) => source.call('end_relation', { relation_id: id }));
}

/** Maximum number of rows of one query. */
const MAX_MENTIONS = 10_000;
/** Maximum number of items per call. */
const MAX_CALL_ITEMS = 1000;

function chunksOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MAX_CALL_ITEMS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_CALL_ITEMS, (index + 1) * MAX_CALL_ITEMS));
}

/** Makes as many calls as are needed, until one fails. */
export async function inChunks<T, R>(
  items: readonly T[],
  call: (some: T[]) => Promise<R | undefined>,
): Promise<{ results: R[]; isComplete: boolean }> {
  const results: R[] = [];
  for (const some of chunksOf(items)) {
    const result = await call(some);
    if (result === undefined) return { results, isComplete: false };
    results.push(result);
  }
  return { results, isComplete: true };
}

/** Groups texts by entity, in order of first occurrence. */
export function byEntity(
  rows: readonly Pick<ObservationRow, 'entity' | 'content'>[],
): { entity: string; contents: string[] }[] {
  const found = new Map<string, string[]>();
  for (const { entity, content } of rows) {
    const contents = found.get(entity);
    if (contents === undefined) found.set(entity, [content]);
    else contents.push(content);
  }
  return [...found].map(([entity, contents]) => ({ entity, contents }));
}
