/** Splitting an entity, with undo. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import { forgetSearches } from '../source/kept-searches.ts';
import type { Source } from '../source/source.ts';
import type { Input, ToolError } from '../source/tools.ts';
import { type Caller, callTool } from './mutations.ts';
import { canImportRecords, importRecords, textRecords } from './undo-snapshot.ts';
import { undoPlan, type UndoStep, batchesOf } from './undo-plan.ts';

type Approved = Input<'execute_entity_split'>['approved_splits'];

/** Splits an entity. Returns the error, if any. */
export async function splitEntity(source: Source, name: string, parts: Approved): Promise<ToolError | undefined> {
  const before = await source.call('explore_entity', { name });
  if (!before.ok) return before.error;
  const done = await source.call('execute_entity_split', { entity_name: name, approved_splits: parts });
  if (!done.ok) return done.error;
  const { new_entities, moved_observations } = done.value.result;
  const moved = parts.flatMap(({ observations }) => observations);
  const steps = undoPlan(before.value.observations, moved);
  const records = textRecords(before.value, ({ id }) => steps.some((step) => step.id === id));
  const undoByTools = (): Promise<boolean> => recreateObservations(source, name, steps);
  notify({
    text: `Split “${name}” into ${counted(new_entities.length, 'new entity', 'new entities')}`,
    detail: `${counted(moved_observations, 'observation')} moved. Undo moves them back${canImportRecords(source) ? '' : ', with today’s date'}.`,
    action: {
      label: 'Undo',
      run: () =>
        void undo(source, new_entities, canImportRecords(source) ? () => importRecords(source, records) : undoByTools),
    },
  });
  return undefined;
}

/** Observations are restored first: if one fails, no entity is deleted. */
async function undo(
  source: Source,
  parts: readonly string[],
  restoreObservations: () => Promise<boolean>,
): Promise<void> {
  if (!(await restoreObservations())) return;
  await callTool(source, 'delete_entities', { entityNames: [...parts] });
  forgetSearches();
}

async function recreateObservations(source: Caller, name: string, steps: readonly UndoStep[]): Promise<boolean> {
  const idOf = new Map<number, number>();
  for (const run of batchesOf(steps)) {
    const { kind, supersedes } = run[0] ?? {};
    const replaced = supersedes === undefined ? undefined : idOf.get(supersedes);
    const stored = await callTool(source, 'add_observations', {
      name,
      observations: run.map(({ content }) => content),
      kind,
      supersedes: replaced,
    });
    if (stored === undefined) return false;
    for (const { id, content } of run) {
      const stands = stored.added?.find((added) => added.content === content)?.id;
      if (stands !== undefined) idOf.set(id, stands);
    }
  }
  return true;
}
