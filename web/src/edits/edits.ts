/** Changes that a person makes, each by way of a tool, with a way back where one exists. */
import { notify, notifyError } from '../app/notices.tsx';
import type { Source } from '../source/source.ts';
import type { Input, Output, ToolName } from '../source/tools.ts';
import { restorePlan, type RestorePlan } from './restore.ts';

type Entity = Output<'explore_entity'>;
type Observation = Entity['observations'][number];
type Relation = Entity['relations'][number];

/** Makes a call and says what went wrong, if anything. */
export async function make<T extends ToolName>(source: Source, tool: T, args: Input<T>): Promise<Output<T> | undefined> {
  const answer = await source.call(tool, args);
  if (answer.ok) return answer.value;
  notifyError(answer.error);
  return undefined;
}

export async function deleteEntity(source: Source, name: string): Promise<boolean> {
  const before = await make(source, 'explore_entity', { name });
  if (before === undefined) return false;
  const done = await make(source, 'delete_entities', { entityNames: [name] });
  if (done === undefined) return false;
  const plan = restorePlan(before);
  notify({
    text: `Deleted “${name}”`,
    detail: 'Undo brings back its texts, history, relations and reflections, but not dates and use.',
    action: { label: 'Undo', run: () => void restore(source, plan, name) },
  });
  return true;
}

/** Brings a deleted entity back. */
export async function restore(source: Source, plan: RestorePlan, name: string): Promise<void> {
  if ((await make(source, 'create_entities', plan.entity)) === undefined) return;
  const idOf = new Map<string, number>();
  for (const { content, kind, replaces } of plan.observations) {
    const supersedes = replaces === undefined ? undefined : idOf.get(replaces);
    const stored = await make(source, 'add_observations', { name, observations: [content], kind, supersedes });
    const id = stored?.added?.[0]?.id;
    if (id !== undefined) idOf.set(content, id);
  }
  const relations = plan.relations.map(({ ended: _, ...relation }) => relation);
  if (relations.length > 0) {
    const stored = await make(source, 'create_relations', { relations });
    for (const [index, { ended }] of plan.relations.entries()) {
      const id = stored?.relations[index]?.id;
      if (ended && id !== undefined) await make(source, 'end_relation', { relation_id: id });
    }
  }
  if (plan.reflections.length > 0) {
    const id = (await make(source, 'explore_entity', { name }))?.entity.id;
    for (const reflection of plan.reflections) {
      await make(source, 'add_reflection', { ...reflection, target_type: 'entity', target_id: id });
    }
  }
}

export async function deleteObservation(source: Source, { entity, content, kind }: Observation): Promise<void> {
  const done = await make(source, 'delete_observations', { name: entity, observations: [content] });
  if (done === undefined) return;
  const undo = (): void => void make(source, 'add_observations', { name: entity, observations: [content], kind });
  notify({ text: 'Deleted an observation', detail: content, action: { label: 'Undo', run: undo } });
}

export async function deleteRelation(source: Source, { from, to, relationType, context, weight }: Relation): Promise<void> {
  const done = await make(source, 'delete_relations', { relations: [{ from, to, relationType }] });
  if (done === undefined) return;
  const relations = [{ from, to, relationType, context, weight }];
  const undo = (): void => void make(source, 'create_relations', { relations });
  notify({ text: 'Deleted a relation', detail: `${from} ${relationType} ${to}`, action: { label: 'Undo', run: undo } });
}

export async function endRelation(source: Source, { id, from, to, relationType, context, weight }: Relation): Promise<void> {
  const done = await make(source, 'end_relation', { relation_id: id });
  if (done === undefined) return;
  const relations = [{ from, to, relationType, context, weight }];
  const undo = (): void => void make(source, 'create_relations', { relations });
  notify({ text: done.result, detail: `${from} ${relationType} ${to}`, action: { label: 'Undo', run: undo } });
}
