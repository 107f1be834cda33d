/** What the inbox says of a memory that waits and of its origin. */
import type { Output } from '../../../source/tools.ts';

export type Inbox = Output<'explore_inbox'>;
export type WaitingMemory = Inbox['memories'][number];

/** Kinds of origin, as a label begins with them, in words. */
const KINDS: Readonly<Record<string, string>> = {
  client: 'Client',
  hook: 'Hook in project',
  import: 'Import of',
  library: 'Program',
  explorer: 'Explorer',
  cli: 'Command line',
};

/** A label such as `client:claude-code` in words; an import without its id. */
export function originTitle(label: string): string {
  const [kind = '', ...rest] = label.split(':');
  const name = rest.join(':');
  const shown = kind === 'import' ? name.replace(/#[^#]*$/u, '') : name;
  const title = KINDS[kind] ?? kind;
  if (!label.includes(':')) return title;
  return `${title} ${shown === '' ? 'without a name' : shown}`;
}

/** Why a memory waits, as a sentence. */
export function whyItWaits({ waits_for, origin, pinned, tier }: WaitingMemory): string {
  const label = waits_for?.label ?? '';
  const who = originTitle(label);
  const project = waits_for?.project ?? '';
  const where = project === '' ? '' : ` in the project ${project}`;
  if (label.startsWith('import:') || label.startsWith('hook:'))
    return `${who}${label.startsWith('hook:') ? '' : where}.`;
  const rank = [...(tier === 'l0' ? ['always loads it'] : []), ...(pinned ? ['pinned it'] : [])].join(' and ');
  const did = origin === label ? 'stored it' : 'changed it';
  return `${who} ${rank === '' ? did : `${did} and ${rank}`}${where}.`;
}
