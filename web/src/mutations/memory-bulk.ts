/** Changes of one or more memories, each with one toast and one undo. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { memoryTitle } from '../components/memory-title.ts';
import type { MemoryRow } from '../source/explorer-tools.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { callTool } from './mutations.ts';
import { restoreEach } from './restore-each.ts';

type Change = Omit<Input<'memory_update'>, 'id'>;
type Named = Pick<MemoryRow, 'id' | 'content'>;

interface BulkChange<R> {
  readonly change: Change;
  /** A memory before the change. */
  readonly back: (row: R) => Change;
  /** A description of the change for this number of memories. */
  readonly what: (memories: string) => string;
}

/** Applies a change to memories. Returns whether all were changed. */
export async function changeMemories<R extends Named>(
  source: Source,
  rows: readonly R[],
  { change, back, what }: BulkChange<R>,
): Promise<boolean> {
  const done = await each(rows, ({ id }) => callTool(source, 'memory_update', { ...change, id }));
  if (done.length === 0) return false;
  const undo = (): void => void restoreEach(done, (row) => source.call('memory_update', { ...back(row), id: row.id }));
  notify({ text: what(memoriesOf(done)), detail: titleOfOne(done), action: { label: 'Undo', run: undo } });
  return done.length === rows.length;
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

function titleOfOne(rows: readonly Named[]): string | undefined {
  const [first] = rows;
  return rows.length === 1 && first !== undefined ? memoryTitle(first.content) : undefined;
}
