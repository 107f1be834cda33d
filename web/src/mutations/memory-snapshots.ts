/** Memories as they are just before a change. */
import { notifyError } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import { notifyGone } from './mutations.ts';
import type { MemorySnapshot } from './undo-snapshot-memories.ts';

/**
 * The memories as they are now, without those that another client has deleted meanwhile. Shows other errors, and a
 * notification if none is left; the answer is `undefined` then.
 */
export async function memorySnapshots(source: Source, ids: readonly string[]): Promise<MemorySnapshot[] | undefined> {
  const snapshots: MemorySnapshot[] = [];
  for (const id of new Set(ids)) {
    const snapshot = await source.call('explore_memory', { id });
    if (snapshot.ok) snapshots.push(snapshot.value);
    else if (snapshot.error.code !== 'memory_not_found') {
      notifyError(snapshot.error);
      return undefined;
    }
  }
  if (snapshots.length > 0) return snapshots;
  notifyGone();
  return undefined;
}

/** Says that some of the selected memories no longer existed. */
export function missingNote(missing: number): string {
  return missing === 0 ? '' : `Another client had deleted ${counted(missing, 'memory', 'memories')} before.`;
}
