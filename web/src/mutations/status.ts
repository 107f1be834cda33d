import { notify, notifyError } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import { callTool, notifyGone } from './mutations.ts';

/** The status of archived entities (a value of MCP Memory v2's format). */
export const ARCHIVED = 'archivado';

interface StatusOf {
  readonly name: string;
  readonly status: string;
}

/** Returns the status of those entities that still exist; `undefined` after an error, which is shown. */
async function statusesOf(source: Source, names: readonly string[]): Promise<readonly StatusOf[] | undefined> {
  const statuses: StatusOf[] = [];
  for (const name of names) {
    const found = await source.call('explore_entity', { name });
    if (found.ok) statuses.push({ name: found.value.entity.name, status: found.value.entity.status });
    else if (found.error.code !== 'entity_not_found') {
      notifyError(found.error);
      return undefined;
    }
  }
  return statuses;
}

/** Gives entities their former status. Those that were deleted meanwhile would be created again without their type. */
async function restoreStatus(source: Source, before: readonly StatusOf[]): Promise<void> {
  const now = await statusesOf(
    source,
    before.map(({ name }) => name),
  );
  if (now === undefined) return;
  const existing = new Set(now.map(({ name }) => name));
  const entities = before.filter(({ name }) => existing.has(name));
  if (entities.length === 0) notifyGone();
  else if ((await callTool(source, 'create_entities', { entities })) !== undefined && entities.length < before.length) {
    notify({ text: deletedMeanwhile(before.length - entities.length) });
  }
}

function deletedMeanwhile(count: number): string {
  return `Another client had deleted ${counted(count, 'entity', 'entities')} before.`;
}

/**
 * Changes the status of entities, with undo. Entities that another client has deleted meanwhile are left out, and named
 * by their number. Returns whether that succeeded.
 */
export async function setStatus(source: Source, names: readonly string[], status: string): Promise<boolean> {
  const before = await statusesOf(source, names);
  if (before === undefined) return false;
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
    ...(missing > 0 && { detail: deletedMeanwhile(missing) }),
    action: {
      label: 'Undo',
      run: () => void restoreStatus(source, before),
    },
  });
  return true;
}
