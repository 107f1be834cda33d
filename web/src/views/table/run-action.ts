import { confirm } from '../../components/confirm.tsx';
import { counted } from '../../components/format.ts';
import type { Source } from '../../source/source.ts';
import type { Action } from './action.ts';
import type { RecordKind, Row } from './record-kind.ts';

/** From more than so many on, a key pressed by mistake should not be enough. */
const ASKS_ABOVE = 20;

/** Does something with the rows that it fits to, after asking if they are many; answers whether it was done. */
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
