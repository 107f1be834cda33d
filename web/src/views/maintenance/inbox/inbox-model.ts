/** Texts of the inbox about a memory that waits and its origin. */
import type { Output } from '../../../source/tools.ts';

export type Inbox = Output<'explore_inbox'>;
export type WaitingMemory = Inbox['memories'][number];
export type Folder = NonNullable<Inbox['folders']>[number];

/** Display names of the kinds of origin, by the prefix of a label. */
const KINDS: Readonly<Record<string, string>> = {
  client: 'Client',
  hook: 'Hook in project',
  import: 'Import of',
  library: 'Program',
  explorer: 'Explorer',
  cli: 'Command line',
};

/** The number of memories and folders that wait. */
export function waitingCount({ total, folders = [] }: Pick<Inbox, 'total' | 'folders'>): number {
  return total + folders.filter(({ confirmed }) => !confirmed).length;
}

/** Names a folder that uses the name of a project, with the start of the digest of its path. */
export function folderTitle({ project, title, digest }: Pick<Folder, 'project' | 'title' | 'digest'>): string {
  return `Project ${project} in ${title === '' ? 'a folder' : `the folder ${title}`} (${digest})`;
}

/** Formats a label such as `client:claude-code` for display; an import without its id. */
export function originTitle(label: string): string {
  const [kind = '', ...rest] = label.split(':');
  const name = rest.join(':');
  const shown = kind === 'import' ? name.replace(/#[^#]*$/u, '') : name;
  const title = KINDS[kind] ?? kind;
  if (!label.includes(':')) return title;
  return `${title} ${shown === '' ? 'without a name' : shown}`;
}

/** The labels that all clients share whose names contain a secret. The core refuses to trust them. */
const WITHHELD: readonly string[] = ['client:[withheld]', 'library:[withheld]'];

/** Whether the core trusts an origin with this label. */
export function isTrustable(label: string): boolean {
  return !WITHHELD.includes(label);
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

/** What a rejection of a memory has done, in words. */
export function rejectionText({
  deleted,
  restored,
  demoted,
}: Pick<Output<'review_inbox'>, 'deleted' | 'restored' | 'demoted'>): string {
  if (deleted.length > 0) return 'Rejected and deleted';
  if (restored.length > 0) return 'Rejected; it is as it was before the change';
  return demoted.length > 0 ? 'Kept; hooks no longer show it unasked' : 'It did not wait any more';
}
