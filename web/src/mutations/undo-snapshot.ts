/**
 * Snapshots of deleted records in the format of a Limbic export, which restores dates and accesses; tools cannot set
 * these.
 */
import { notify, notifyError } from '../app/toasts.tsx';
import { problemsOf } from '../files/file-kind.ts';
import type { Source } from '../source/source.ts';
import type { Output } from '../source/tools.ts';
import { erasedSentence } from './erased.ts';
import type { Caller } from './mutations.ts';

export type EntitySnapshot = Output<'explore_entity'>;
type Observation = EntitySnapshot['observations'][number];
type Relation = EntitySnapshot['relations'][number];

/** A line of an export. */
export type ExportRecord = { readonly record: string } & Readonly<Record<string, unknown>>;

/** An explicit mention of an entity by a memory, which is deleted with the entity. */
export interface Mention {
  readonly memory: string;
  readonly entity: string;
}

/** All records that are deleted with these entities. */
export function entityRecords(snapshots: readonly EntitySnapshot[], mentions: readonly Mention[] = []): ExportRecord[] {
  return [
    ...snapshots.map(({ entity: { name, entityType, status, created_at, updated_at } }) => ({
      record: 'entity',
      name,
      entity_type: entityType,
      status,
      created_at,
      updated_at,
    })),
    ...snapshots.flatMap(({ observations }) => observationRecords(observations)),
    ...snapshots.flatMap((snapshot) => relationRecords(snapshot)),
    ...snapshots.flatMap(({ entity, access: { count, last, days } }) => [
      ...(count > 0 ? [{ record: 'access', entity: entity.name, count, last }] : []),
      ...days.map(({ date, count }) => ({ record: 'access_day', entity: entity.name, day: date, count })),
    ]),
    ...snapshots.flatMap(({ entity, found_together }) =>
      found_together.map(({ name, count, last }) => ({
        record: 'co_occurrence',
        a: entity.name,
        b: name,
        count,
        last,
      })),
    ),
    ...mentions.map(({ memory, entity }) => ({ record: 'memory_mention', memory, entity })),
  ];
}

/** These observations of an entity and their neighbours in its history. */
export function textRecords(
  { observations }: EntitySnapshot,
  isGone: (observation: Observation) => boolean,
): ExportRecord[] {
  const gone = new Set(observations.filter(isGone).map(({ id }) => id));
  return observationRecords(
    observations.filter(({ id, supersedes = 0, superseded_by = 0 }) =>
      [id, supersedes, superseded_by].some((one) => gone.has(one)),
    ),
  );
}

/** Relations of an entity with the reflections on them, and those on itself. */
export function relationRecords(
  { relations, reflections }: EntitySnapshot,
  isGone?: (relation: Relation) => boolean,
): ExportRecord[] {
  const gone = isGone === undefined ? relations : relations.filter(isGone);
  const byId = new Map(gone.map((relation) => [relation.id, relation]));
  return [
    ...gone.map(({ from, to, relationType, context, weight, active, created_at, ended_at }) => ({
      record: 'relation',
      from,
      relation_type: relationType,
      to,
      context,
      weight,
      active,
      created_at,
      ended_at,
    })),
    ...reflections.flatMap(({ target_type, target_id, target, author, mood, content, created_at }): ExportRecord[] => {
      const reflection = { record: 'reflection', target_type, author, mood, content, created_at };
      if (target_type === 'entity') return isGone === undefined ? [{ ...reflection, entity: target }] : [];
      const on = byId.get(target_id ?? 0);
      return target_type !== 'relation' || on === undefined
        ? []
        : [{ ...reflection, from: on.from, relation_type: on.relationType, to: on.to }];
    }),
  ];
}

function observationRecords(observations: readonly Observation[]): ExportRecord[] {
  return [...observations]
    .sort((a, b) => a.id - b.id)
    .map(({ id, entity, content, kind, created_at, superseded_at, supersedes }) => ({
      record: 'observation',
      entity,
      n: id,
      content,
      kind,
      created_at,
      superseded_at,
      supersedes,
    }));
}

/** The lines of an export file. */
export function exportText(records: readonly ExportRecord[]): string {
  const all = [
    { record: 'export', format: 'limbic', version: 1 },
    ...records,
    { record: 'end', records: records.length },
  ];
  return `${all.map((record) => JSON.stringify(record)).join('\n')}\n`;
}

interface Deletion {
  readonly text: string;
  /** The deleted text, if it is short. */
  readonly what?: string;
  readonly records: readonly ExportRecord[];
  /** Whether the records are complete. */
  readonly isComplete?: boolean;
  /** Called after the records have been imported. */
  readonly afterRecords?: () => Promise<unknown>;
  /** Restores through tool calls, if the source cannot import files. */
  readonly undoByTools: (source: Caller) => Promise<unknown>;
  /** The parts that the tool calls do not restore. */
  readonly undoByToolsNote: string;
}

/** Shows a toast about a deletion: what was overwritten, and the best undo that the source supports. */
export function offerUndo(
  source: Source,
  { text, what, records, isComplete = true, afterRecords, undoByTools, undoByToolsNote }: Deletion,
): void {
  const takesRecords = canImportRecords(source);
  const notes = [
    takesRecords ? '' : undoByToolsNote,
    isComplete ? '' : 'It has more records than one answer contains; those are not restored.',
  ];
  const detail = [...notes, what ?? '', erasedSentence(source.status.get()) ?? '']
    .filter((part) => part !== '')
    .join(' ');
  const withRecords = async (): Promise<void> => {
    if (await importRecords(source, records)) await afterRecords?.();
  };
  const run = (): void => void (takesRecords ? withRecords() : undoByTools(source));
  notify({ text, detail: detail === '' ? undefined : detail, action: { label: 'Undo', run } });
}

/** Whether the source can import records; a server imports only files on its own machine. */
export function canImportRecords(source: Source): boolean {
  return source.importFile !== undefined;
}

/** Imports records; existing ones stay unchanged. Shows errors and returns whether there were none. */
export async function importRecords(source: Source, records: readonly ExportRecord[]): Promise<boolean> {
  const answer = await source.importFile?.(new File([exportText(records)], 'undo.limbic.jsonl'));
  if (answer === undefined) return false;
  if (!answer.ok) {
    notifyError(answer.error);
    return false;
  }
  const problems = problemsOf(answer.value);
  if (problems.length > 0)
    notify({ text: 'Undo did not restore everything.', detail: problems.join(' '), isError: true });
  return problems.length === 0;
}
