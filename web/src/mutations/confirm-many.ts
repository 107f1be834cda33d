import { confirm } from '../components/confirm.tsx';
import type { Source } from '../source/source.ts';
import { canImportRecords } from './undo-snapshot.ts';

/** Above this number of records, the user is asked for confirmation. */
const ASKS_ABOVE = 20;

interface ManyRecords {
  /** The name of the action, such as `Delete`. */
  readonly action: string;
  /** The records with their number, such as `25 entities`. */
  readonly what: string;
  readonly count: number;
  readonly isDanger: boolean;
  /** What Undo does, if the action deletes no records. */
  readonly undoText?: string | undefined;
}

/** Asks before an action on many records. Returns whether the user agreed, or was not asked. */
export async function confirmMany(
  source: Source,
  { action, what, count, isDanger, undoText }: ManyRecords,
): Promise<boolean> {
  if (count <= ASKS_ABOVE) return true;
  const restores = canImportRecords(source)
    ? 'Undo restores them.'
    : 'Undo restores them without dates and access counts.';
  return confirm({ title: `${action} ${what}?`, text: undoText ?? restores, action, isDanger });
}
