/** Merges near-duplicate observations. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { unescapedEdit } from '../components/hidden-characters.ts';
import type { Source } from '../source/source.ts';
import { callTool } from './mutations.ts';
import { restoreEach } from './restore-each.ts';
import { canImportRecords, importRecords, textRecords } from './undo-snapshot.ts';

interface MergedObservation {
  readonly id: number;
  readonly text: string;
}

/**
 * Keeps one observation, with new wording if given, and deletes the others. Rewording keeps the old text as history.
 * Undo restores the deleted texts, and the old wording as the current one.
 *
 * @returns whether the text that was to be kept is stored.
 */
export async function mergeObservations(
  source: Source,
  name: string,
  kept: MergedObservation,
  wording: string,
  others: readonly MergedObservation[],
): Promise<boolean> {
  const before = await callTool(source, 'explore_entity', { name });
  if (before === undefined) return false;
  const rowOf = (id: number) => before.observations.find((row) => row.id === id);
  const kindOf = (id: number): string | undefined => rowOf(id)?.kind;
  /** The tool that found the duplicates escapes their texts; `explore_entity` does not. */
  const storedOf = ({ id, text }: MergedObservation): string => rowOf(id)?.content ?? text;
  const records = textRecords(before, ({ id }) => others.some((other) => other.id === id));
  // The others are deleted first, since the new wording may equal one of them.
  const gone =
    others.length === 0
      ? {}
      : await callTool(source, 'delete_observations', { name, observations: others.map(storedOf) });
  if (gone === undefined) return false;
  let current = kept.id;
  let isStored = true;
  if (wording !== kept.text) {
    const stored = await callTool(source, 'add_observations', {
      name,
      observations: [storedOf(kept) === kept.text ? wording : unescapedEdit(kept.text, wording)],
      kind: kindOf(kept.id),
      supersedes: kept.id,
    });
    isStored = stored !== undefined;
    current = stored?.added?.[0]?.id ?? kept.id;
  }
  const undo = async (): Promise<void> => {
    const add = (text: string, kind: string | undefined, supersedes?: number) =>
      source.call('add_observations', { name, observations: [text], kind, supersedes });
    const rewording = current === kept.id ? [] : [() => add(storedOf(kept), kindOf(kept.id), current)];
    const deleted = others.map((other) => () => add(storedOf(other), kindOf(other.id)));
    await restoreEach(canImportRecords(source) ? rewording : [...rewording, ...deleted], (step) => step());
    if (canImportRecords(source)) await importRecords(source, records);
  };
  notify({
    text: `Deleted ${counted(others.length, 'observation')} of ${name}`,
    detail: `Kept: ${current === kept.id ? kept.text : wording}`,
    action: { label: 'Undo', run: () => void undo() },
  });
  return isStored;
}
