/** Changes of memories through tool calls, with undo where possible. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { unescaped } from '../components/hidden-characters.ts';
import { memoryTitle } from '../components/memory-title.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { linkToPresentCode } from './code-links.ts';
import { type Caller, callTool } from './mutations.ts';
import { restoreEach } from './restore-each.ts';
import { canImportRecords, offerUndo, importRecords } from './undo-snapshot.ts';
import {
  supersededBy,
  memoryRecords,
  stateRecord,
  storedMemory,
  type MemorySnapshot,
} from './undo-snapshot-memories.ts';
import { linkInput } from './memory-links.ts';
import { memorySnapshots, missingNote } from './memory-snapshots.ts';

/** Updates fields of a memory. Returns whether that succeeded. */
export async function updateMemory(
  source: Source,
  id: string,
  change: Omit<Input<'memory_update'>, 'id'>,
): Promise<boolean> {
  return (await callTool(source, 'memory_update', { id, ...change })) !== undefined;
}

/** Deletes memories. If the source imports records, undo restores them with dates, history, links and accesses. */
export async function deleteMemories(source: Source, ids: readonly string[]): Promise<boolean> {
  const before = await memorySnapshots(source, ids);
  if (before === undefined) return false;
  const missing = new Set(ids).size - before.length;
  const gone: MemorySnapshot[] = [];
  for (const snapshot of before) {
    if ((await callTool(source, 'memory_forget', { id: snapshot.memory.id })) === undefined) break;
    gone.push(snapshot);
  }
  const [first] = gone;
  if (first === undefined) return false;
  offerUndo(source, {
    text: `Deleted ${counted(gone.length, 'memory', 'memories')}`,
    what: [gone.length === 1 ? memoryTitle(first.memory.content) : '', missingNote(missing)]
      .filter((part) => part !== '')
      .join(' '),
    records: memoryRecords(gone),
    isComplete: gone.every(({ omitted }) => omitted === undefined),
    afterRecords: async () => {
      await restoreSupersededBy(source, gone);
      await restoreCodeLinks(source, gone);
    },
    undoByTools: async (to) => {
      await restoreCodeLinks(source, await recreateMemories(to, gone));
    },
    undoByToolsNote: 'Undo restores texts, fields and links, but not dates, history and access counts.',
  });
  return gone.length === before.length;
}

/**
 * Marks memories as no longer valid, one after the other until a call fails. Undo is offered where the source imports
 * records: no tool makes a memory valid again, but of two states in an import the later one counts.
 *
 * @returns whether all of them were invalidated.
 */
export async function invalidateMemories(
  source: Source,
  ids: readonly string[],
  { reason, supersededBy: successor }: { readonly reason?: string; readonly supersededBy?: string } = {},
): Promise<boolean> {
  const done: MemorySnapshot[] = [];
  const present = await memorySnapshots(source, ids);
  if (present === undefined) return false;
  for (const before of present) {
    const { id } = before.memory;
    const change = { id, reason: reason === '' ? undefined : reason, superseded_by: successor };
    if ((await callTool(source, 'memory_invalidate', change)) === undefined) break;
    done.push(before);
  }
  const [first] = done;
  if (first === undefined) return false;
  const undo = async (): Promise<void> => {
    for (const before of done) {
      if (successor === undefined || isSupersededBy(before, successor)) continue;
      const link = { from_id: successor, to_id: before.memory.id, type: 'supersedes' };
      await callTool(source, 'memory_link', { ...link, remove: true });
    }
    const updated_at = new Date().toISOString();
    await importRecords(
      source,
      done.map((before) => ({ ...stateRecord(before), updated_at })),
    );
  };
  notify({
    text: `Invalidated ${counted(done.length, 'memory', 'memories')}`,
    detail: done.length === 1 ? memoryTitle(first.memory.content) : undefined,
    ...(canImportRecords(source) && { action: { label: 'Undo', run: () => void undo() } }),
  });
  return done.length === present.length;
}

/** Whether a link states that `successor` supersedes the memory. */
function isSupersededBy({ memory, links }: MemorySnapshot, successor: string): boolean {
  return links.some(
    ({ from_id, to_id, type }) => from_id === successor && to_id === memory.id && type === 'supersedes',
  );
}

/**
 * Restores `superseded_by` of the memories that the restored ones had superseded. A new link would have today's date.
 */
async function restoreSupersededBy(source: Source, snapshots: readonly MemorySnapshot[]): Promise<void> {
  const links = snapshots.flatMap(supersededBy);
  if (links.length === 0) return;
  const found = await callTool(source, 'memory_get', { ids: links.map(({ to_id }) => to_id) });
  const ended = new Map(found?.memories.map((memory) => [memory.id, memory]));
  // An import adds only missing fields to a record with the same `updated_at`.
  const records = links.flatMap(({ from_id, to_id }) => {
    const { content, created_at, updated_at, superseded_by } = ended.get(to_id) ?? {};
    return content === undefined || superseded_by !== undefined
      ? []
      : [{ record: 'memory', id: to_id, content: unescaped(content), created_at, updated_at, superseded_by: from_id }];
  });
  await importRecords(source, records);
}

/** Links restored memories to their code again, as it is now. */
async function restoreCodeLinks(source: Source, snapshots: readonly MemorySnapshot[]): Promise<void> {
  for (const { memory, symbols } of snapshots) {
    if (symbols.length > 0) await linkToPresentCode(source, memory.id, symbols);
  }
}

/** The fields of a memory that are restored unchanged. */
const RESTORED = [
  'id',
  'content',
  'subject',
  'domain',
  'pinned',
  'tags',
  'importance',
  'confidence',
  'user_id',
  'source',
  'path',
  'summary',
  'metadata',
  'event_time',
  'valid_from',
] as const;

function fieldsOf<T, K extends keyof T>(record: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<T, K>;
}

/** Memories are created first, since a link needs both of its ends. Returns those that were created. */
async function recreateMemories(source: Caller, snapshots: readonly MemorySnapshot[]): Promise<MemorySnapshot[]> {
  const missing = new Set<string>();
  await restoreEach(snapshots, async ({ memory: shown, entities }) => {
    const memory = storedMemory(shown);
    const { category, memory_type, tier } = memory;
    const stored = await source.call('memory_store', {
      ...fieldsOf(memory, RESTORED),
      category: category as Input<'memory_store'>['category'],
      memory_type: memory_type as Input<'memory_store'>['memory_type'],
      tier: tier as Input<'memory_store'>['tier'],
      expires_at: memory.status === 'expired' ? undefined : memory.expires_at,
      entities: entities.filter(({ given }) => given).map(({ name }) => name),
    });
    if (!stored.ok) missing.add(memory.id);
    if (!stored.ok || memory.valid_until === undefined) return stored;
    return source.call('memory_invalidate', { id: memory.id, reason: memory.invalidation_reason });
  });
  const links = new Map(snapshots.flatMap((snapshot) => snapshot.links).map((link) => [link.id, link]));
  const possible = [...links.values()].filter(({ from_id, to_id }) => !missing.has(from_id) && !missing.has(to_id));
  await restoreEach(possible, (link) => source.call('memory_link', linkInput(link)));
  return snapshots.filter(({ memory }) => !missing.has(memory.id));
}
