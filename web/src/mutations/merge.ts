/** One observation in place of several that say nearly the same. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import { make } from './mutations.ts';
import { canPutBack, putBack, textRecords } from './undo-snapshot.ts';

interface Said {
  readonly id: number;
  readonly text: string;
}

/**
 * Keeps one observation, in another wording if one is given, and deletes the others. Rewording keeps the old text as
 * history; undo brings the deleted texts back, and the old wording as the current one.
 */
export async function mergeObservations(
  source: Source,
  name: string,
  kept: Said,
  wording: string,
  others: readonly Said[],
): Promise<void> {
  const before = await make(source, 'explore_entity', { name });
  if (before === undefined) return;
  const kindOf = (id: number): string | undefined => before.observations.find((row) => row.id === id)?.kind;
  const records = textRecords(before, ({ id }) => others.some((other) => other.id === id));
  // The others go first: the new wording may be the text of one of them.
  const gone =
    others.length === 0
      ? {}
      : await make(source, 'delete_observations', { name, observations: others.map(({ text }) => text) });
  if (gone === undefined) return;
  let current = kept.id;
  if (wording !== kept.text) {
    const stored = await make(source, 'add_observations', {
      name,
      observations: [wording],
      kind: kindOf(kept.id),
      supersedes: kept.id,
    });
    current = stored?.added?.[0]?.id ?? kept.id;
  }
  const undo = async (): Promise<void> => {
    if (current !== kept.id)
      await make(source, 'add_observations', {
        name,
        observations: [kept.text],
        kind: kindOf(kept.id),
        supersedes: current,
      });
    if (canPutBack(source)) await putBack(source, records);
    else
      for (const { id, text } of others)
        await make(source, 'add_observations', { name, observations: [text], kind: kindOf(id) });
  };
  notify({
    text: `Deleted ${counted(others.length, 'observation')} of ${name}`,
    detail: `Kept: ${wording}`,
    action: { label: 'Undo', run: () => void undo() },
  });
}
