/** Changes of links between memories. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { unescaped } from '../components/hidden-characters.ts';
import { memoryTitle } from '../components/memory-title.ts';
import type { LinkRow } from '../source/explorer-tools.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { callTool } from './mutations.ts';
import { each } from './memory-bulk.ts';
import { restoreEach } from './restore-each.ts';

/** The type of a reference without a description. */
const RELATED = 'related';

/** Removes links, with one toast and one undo. Returns whether all were removed. */
export async function removeLinks(source: Source, rows: readonly LinkRow[]): Promise<boolean> {
  const done = await each(rows, async (row) => {
    const answer = await callTool(source, 'memory_link', { ...endsOf(row), remove: true });
    if (answer?.removed === false) notify({ text: answer.note ?? 'The link does not exist.', isError: true });
    return answer?.removed === true ? answer : undefined;
  });
  const [first] = done;
  if (first === undefined) return false;
  const named =
    done.length === 1 ? `${sentence(`${memoryTitle(first.from)} ${first.type} ${memoryTitle(first.to)}`)} ` : '';
  notify({
    text: `Removed ${counted(done.length, 'link')}`,
    detail: `${named}Undo creates ${done.length === 1 ? 'it' : 'them'} again with today’s date.`,
    action: {
      label: 'Undo',
      run: () => void restoreEach(done, (row) => source.call('memory_link', linkInput(row))),
    },
  });
  return done.length === rows.length;
}

/** The input that creates a removed link again. The row of a reference has its description as the type. */
export function linkInput(row: LinkRow): Input<'memory_link'> {
  const { is_reference: isReference, type, strength, bidirectional } = row;
  if (!isReference) return { ...endsOf(row), strength };
  return { ...endsOf(row), description: type === RELATED ? undefined : unescaped(type), bidirectional };
}

/** Changes the strength of a link, with undo. Returns whether that succeeded. */
export async function setStrength(source: Source, row: LinkRow, strength: number): Promise<boolean> {
  const set = (to: number) => callTool(source, 'memory_link', { ...endsOf(row), strength: to });
  if ((await set(strength)) === undefined) return false;
  const detail = `${memoryTitle(row.from)} ${row.type} ${memoryTitle(row.to)}`;
  notify({
    text: `Changed the strength to ${strength.toLocaleString('en')}`,
    detail,
    action: { label: 'Undo', run: () => void set(row.strength) },
  });
  return true;
}

/**
 * Creates a link and notifies the user if it became a reference. Returns whether that succeeded. @param links the
 * memory's current links.
 */
export async function addLink(source: Source, link: Input<'memory_link'>, links: readonly LinkRow[]): Promise<boolean> {
  const done = await callTool(source, 'memory_link', link);
  if (done?.reference === undefined) return done !== undefined;
  const earlier = links.find((row) => row.is_reference && row.from_id === link.from_id && row.to_id === link.to_id);
  const replaced =
    earlier === undefined || earlier.type === link.type ? '' : ` It replaces the reference of type “${earlier.type}”.`;
  notify({
    text: 'The link became a reference',
    detail: `The other memory is in another domain. A reference has no strength, and there is at most one from one memory to another.${replaced}`,
  });
  return true;
}

/** A text with a full stop, unless it has its end already. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A reference is identified by its ends; its description need not be a valid type. */
function endsOf({ from_id, to_id, type, is_reference: isReference }: LinkRow): Input<'memory_link'> {
  return { from_id, to_id, type: isReference ? RELATED : unescaped(type) };
}
