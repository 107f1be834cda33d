/** Changes of one or more memories, each with one toast and one undo. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { memoryTitle } from '../components/memory-title.ts';
import type { MemoryRow } from '../source/explorer-tools.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { memorySnapshots, missingNote } from './memory-snapshots.ts';
import { callTool } from './mutations.ts';
import type { MemorySnapshot } from './undo-snapshot-memories.ts';
import { restoreEach } from './restore-each.ts';

type Change = Omit<Input<'memory_update'>, 'id'>;
type Named = Pick<MemoryRow, 'id' | 'content'>;

type Memory = MemorySnapshot['memory'];

interface BulkChange {
  readonly change: Change;
  /** The change that restores a memory, as it was just before. */
  readonly back: (memory: Memory) => Change;
  /** A description of the change for this number of memories. */
  readonly what: (memories: string) => string;
}

/** Applies a change to memories. Returns whether all were changed. */
export async function changeMemories(
  source: Source,
  rows: readonly Named[],
  { change, back, what }: BulkChange,
): Promise<boolean> {
  // The rows of a selection may be old: another client may have changed or deleted these memories since.
  const snapshots = await memorySnapshots(
    source,
    rows.map(({ id }) => id),
  );
  if (snapshots === undefined) return false;
  const before = snapshots.map(({ memory }) => memory);
  const done = await each(before, ({ id }) => callTool(source, 'memory_update', { ...change, id }));
  if (done.length === 0) return false;
  const undo = (): void => void restoreEach(done, (row) => source.call('memory_update', { ...back(row), id: row.id }));
  notify({
    text: what(memoriesOf(done)),
    detail: detailOf(done, rows.length - before.length),
    action: { label: 'Undo', run: undo },
  });
  return done.length === before.length;
}

/** Calls for one row after the other until one fails. Returns the rows that succeeded. */
export async function each<R>(rows: readonly R[], call: (row: R) => Promise<unknown>): Promise<R[]> {
  const done: R[] = [];
  for (const row of rows) {
    if ((await call(row)) === undefined) break;
    done.push(row);
  }
  return done;
}

function memoriesOf(rows: readonly Named[]): string {
  return counted(rows.length, 'memory', 'memories');
}

function detailOf(rows: readonly Named[], missing: number): string | undefined {
  const [first] = rows;
  const title = rows.length === 1 && first !== undefined ? memoryTitle(first.content) : '';
  const detail = [title, missingNote(missing)].filter((part) => part !== '').join(' ');
  return detail === '' ? undefined : detail;
}
