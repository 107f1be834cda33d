import { notify, notifyError } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import { callTool, notifyGone } from './mutations.ts';

/** The status of archived entities (a value of MCP Memory v2's format). */
export const ARCHIVED = 'archivado';

/**
 * Changes the status of entities, with undo. Entities that another client has deleted meanwhile are left out, and named
 * by their number. Returns whether that succeeded.
 */
export async function setStatus(source: Source, names: readonly string[], status: string): Promise<boolean> {
  const before: { name: string; status: string }[] = [];
  for (const name of names) {
    const found = await source.call('explore_entity', { name });
    if (found.ok) before.push({ name: found.value.entity.name, status: found.value.entity.status });
    else if (found.error.code !== 'entity_not_found') {
      notifyError(found.error);
      return false;
    }
  }
  if (before.length === 0) {
    notifyGone();
    return false;
  }
  const done = await callTool(source, 'create_entities', {
    entities: before.map(({ name }) => ({ name, status })),
  });
  if (done === undefined) return false;
  const missing = names.length - before.length;
  notify({
    text: `${counted(before.length, 'entity', 'entities')}: status ${status}`,
    ...(missing > 0 && { detail: `Another client had deleted ${counted(missing, 'entity', 'entities')} before.` }),
    action: {
      label: 'Undo',
      run: () => void callTool(source, 'create_entities', { entities: before }),
    },
  });
  return true;
}
