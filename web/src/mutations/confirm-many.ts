import { confirm } from '../components/confirm.tsx';
import type { Source } from '../source/source.ts';
import { canImportRecords } from './undo-snapshot.ts';

/** Above this number of records, the user is asked for confirmation. */
const ASKS_ABOVE = 20;

/** Asks before an action on many records. Returns whether the user agreed, or was not asked. */
export async function confirmMany(source: Source, action: string, what: string, count: number): Promise<boolean> {
  if (count <= ASKS_ABOVE) return true;
  return confirm({
    title: `${action} ${what}?`,
    text: canImportRecords(source) ? 'Undo restores them.' : 'Undo restores them without dates and access counts.',
    action,
    isDanger: true,
  });
}
