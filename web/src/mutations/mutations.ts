/** Changes by the user through tool calls, with undo where possible. */
import { notify, notifyError } from '../app/toasts.tsx';
import type { Source } from '../source/source.ts';
import type { Input, Output, ToolName } from '../source/tools.ts';
import type { RestorePlan } from './restore.ts';

/** What calls a tool. */
export type Caller = Pick<Source, 'call'>;

/** Calls a tool and shows an error as a toast. Returns `undefined` on failure. */
export async function callTool<T extends ToolName>(
  source: Caller,
  tool: T,
  args: Input<T>,
): Promise<Output<T> | undefined> {
  const answer = await source.call(tool, args);
  if (answer.ok) return answer.value;
  notifyError(answer.error);
  return undefined;
}

/** Says that none of the records that were to be changed is left. */
export function notifyGone(): void {
  notify({ text: 'Another client has deleted this meanwhile.' });
}

/** Recreates a deleted entity through tool calls, which cannot set dates. */
export async function restore(source: Caller, plan: RestorePlan, name: string): Promise<void> {
  if ((await callTool(source, 'create_entities', plan.entity)) === undefined) return;
  const idOf = new Map<string, number>();
  for (const { content, kind, replaces } of plan.observations) {
    const supersedes = replaces === undefined ? undefined : idOf.get(replaces);
    const stored = await callTool(source, 'add_observations', { name, observations: [content], kind, supersedes });
    const id = stored?.added?.[0]?.id;
    if (id !== undefined) idOf.set(content, id);
  }
  const relations = plan.relations.map(({ ended: _, ...relation }) => relation);
  if (relations.length > 0) {
    const stored = await callTool(source, 'create_relations', { relations });
    for (const [index, { ended }] of plan.relations.entries()) {
      const id = stored?.relations[index]?.id;
      if (ended && id !== undefined) await callTool(source, 'end_relation', { relation_id: id });
    }
  }
  if (plan.reflections.length > 0) {
    const id = (await callTool(source, 'explore_entity', { name }))?.entity.id;
    for (const reflection of plan.reflections) {
      await callTool(source, 'add_reflection', { ...reflection, target_type: 'entity', target_id: id });
    }
  }
}
