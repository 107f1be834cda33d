import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import { callTool } from './mutations.ts';

/** The status of archived entities (a value of MCP Memory v2's format). */
export const ARCHIVED = 'archivado';

/** Changes the status of entities, with undo. */
export async function setStatus(source: Source, names: readonly string[], status: string): Promise<boolean> {
  const before: { name: string; entityType: string; status: string }[] = [];
  for (const name of names) {
    const entity = (await callTool(source, 'explore_entity', { name }))?.entity;
    if (entity === undefined) return false;
    before.push({ name: entity.name, entityType: entity.entityType, status: entity.status });
  }
  const done = await callTool(source, 'create_entities', {
    entities: before.map((entity) => ({ ...entity, status })),
  });
  if (done === undefined) return false;
  notify({
    text: `${counted(names.length, 'entity', 'entities')}: status ${status}`,
    action: {
      label: 'Undo',
      run: () => void callTool(source, 'create_entities', { entities: before }),
    },
  });
  return true;
}
