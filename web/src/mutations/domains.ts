/** Deletion of domains. */
import { notify } from '../app/toasts.tsx';
import { askFor, confirm } from '../components/confirm.tsx';
import { counted } from '../components/format.ts';
import type { Source } from '../source/source.ts';
import type { Output } from '../source/tools.ts';
import { erasedSentence } from './erased.ts';
import { callTool } from './mutations.ts';

type Domain = Output<'list_domains'>['domains'][number];

/** Asks for the target of its memories and deletes a domain. Returns whether it was deleted. */
export async function confirmDeleteDomain(
  source: Source,
  domain: Domain,
  domains: readonly Domain[],
): Promise<boolean> {
  const { id, name, description, memories } = domain;
  const title = `Delete the domain “${name}”?`;
  if (memories === 0) {
    if (!(await confirm({ title, text: 'It contains no memories.', action: 'Delete' }))) return false;
    if ((await callTool(source, 'delete_domain', { id })) === undefined) return false;
    notify({
      text: `Deleted the domain “${name}”`,
      detail: erasedSentence(source.status.get()),
      action: { label: 'Undo', run: () => void callTool(source, 'create_domain', { id, name, description }) },
    });
    return true;
  }
  const others = domains.filter((other) => other.id !== id);
  const moveTo = await askFor(
    {
      title,
      text: `Its ${counted(memories, 'memory moves', 'memories move')} to another domain. This cannot be undone here.`,
      action: 'Delete',
      isDanger: true,
    },
    {
      label: 'Target domain',
      initial: others[0]?.id ?? '',
      options: others.map((other) => ({
        id: other.id,
        title: other.name === other.id ? other.id : `${other.name} (${other.id})`,
      })),
    },
  );
  if (moveTo === undefined) return false;
  const done = await callTool(source, 'delete_domain', { id, move_to: moveTo });
  if (done === undefined) return false;
  notify({
    text: `Deleted the domain “${name}”`,
    detail: `Moved ${counted(done.moved, 'memory', 'memories')} to ${others.find((other) => other.id === moveTo)?.name ?? moveTo}, which keeps their texts.`,
  });
  return true;
}
