import { confirm } from '../../components/confirm.tsx';
import { counted } from '../../components/format.ts';
import type { Source } from '../../source/source.ts';
import type { Action, RecordKind, Row } from './record-kind.ts';

/** Above this number of rows, the user is asked for confirmation. */
const ASKS_ABOVE = 20;

/** Runs an action on the rows that it applies to, with confirmation for many rows. Returns whether it was done. */
export async function runAction(
  source: Source,
  kind: RecordKind<Row>,
  action: Action<Row>,
  rows: readonly Row[],
): Promise<boolean> {
  const filterCalls = rows.filter((row) => action.fits(row));
  if (filterCalls.length === 0) return false;
  if (action.asks !== true && filterCalls.length > ASKS_ABOVE) {
    const title = `${action.title} ${counted(filterCalls.length, kind.one, kind.many)}?`;
    const isAgreed = await confirm({
      title,
      text: 'Undo restores them without dates and access counts.',
      action: action.title,
      isDanger: action.isDanger,
    });
    if (!isAgreed) return false;
  }
  return action.run(source, filterCalls);
}
