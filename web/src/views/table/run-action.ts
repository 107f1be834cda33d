import { counted } from '../../components/format.ts';
import { confirmMany } from '../../mutations/confirm-many.ts';
import type { Source } from '../../source/source.ts';
import type { Action, RecordKind, Row } from './record-kind.ts';

/** Runs an action on the rows that it applies to, with confirmation for many rows. Returns whether it was done. */
export async function runAction(
  source: Source,
  kind: RecordKind<Row>,
  action: Action<Row>,
  rows: readonly Row[],
): Promise<boolean> {
  const filterCalls = rows.filter((row) => action.fits(row));
  if (filterCalls.length === 0) return false;
  const what = counted(filterCalls.length, kind.one, kind.many);
  const { title, isDanger = false, undoText } = action;
  const many = { action: title, what, count: filterCalls.length, isDanger, undoText };
  if (action.asks !== true && !(await confirmMany(source, many))) return false;
  return action.run(source, filterCalls);
}
