/** Changes of memories that ask for input or confirmation first. */
import { askFor, confirm } from '../components/confirm.tsx';
import { counted } from '../components/format.ts';
import { memoryTitle } from '../components/memory-title.ts';
import type { MemoryRow } from '../source/explorer-tools.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { ALL_DOMAINS } from '../source/use-domain-names.ts';
import { callTool } from './mutations.ts';
import { canImportRecords } from './undo-snapshot.ts';
import { deleteMemories, invalidateMemories } from './memories.ts';
import { changeMemories } from './memory-bulk.ts';

type Rows = readonly MemoryRow[];
/** The fields of a memory that the dialogs show. */
type Named = Pick<MemoryRow, 'id' | 'content'>;
type Placed = Named & Pick<MemoryRow, 'domain'>;
type Tier = NonNullable<Input<'memory_update'>['tier']>;

const TIERS: readonly { readonly id: Tier; readonly title: string }[] = [
  { id: 'l0', title: 'l0: always loaded' },
  { id: 'l1', title: 'l1: loaded first' },
  { id: 'l2', title: 'l2: loaded on relevance' },
  { id: 'l3', title: 'l3: rarely used' },
  { id: 'l4', title: 'l4: found by search only' },
];
/** Maximum length of a reason. */
const REASON_MAX_LENGTH = 1000;

export function setPinned(source: Source, rows: Rows, pinned: boolean): Promise<boolean> {
  return changeMemories(source, rows, {
    change: { pinned },
    back: (memory) => ({ pinned: memory.pinned }),
    what: (memories) => `${pinned ? 'Pinned' : 'Unpinned'} ${memories}`,
  });
}

export async function confirmMove(source: Source, rows: readonly Placed[]): Promise<boolean> {
  const known = await callTool(source, 'list_domains', ALL_DOMAINS);
  if (known === undefined) return false;
  const others = known.domains.filter(({ id }) => rows.some(({ domain }) => domain !== id));
  const [first] = others;
  if (first === undefined) {
    await confirm({
      title: 'No other domain',
      text: 'A domain separates the memories of a project from others. Create one with the domain menu in the navigation.',
      action: 'OK',
    });
    return false;
  }
  const domain = await askFor(
    {
      title: `Move ${memoriesOf(rows)}?`,
      text: 'A link to a memory that is not moved becomes a reference, which has no strength. Undo does not restore the strength.',
      action: 'Move',
    },
    {
      label: 'Target domain',
      initial: first.id,
      options: others.map(({ id, name }) => ({ id, title: name === id ? id : `${name} (${id})` })),
    },
  );
  if (domain === undefined) return false;
  const moved = rows.filter((row) => row.domain !== domain);
  const name = others.find(({ id }) => id === domain)?.name ?? domain;
  return changeMemories(source, moved, {
    change: { domain },
    back: (row) => ({ domain: row.domain }),
    what: (memories) => `Moved ${memories} to ${name}`,
  });
}

export async function confirmTierChange(source: Source, rows: Rows): Promise<boolean> {
  const [first] = rows;
  const tier = await askFor(
    {
      title: `Change the tier of ${memoriesOf(rows)}?`,
      text: 'Accesses and decay also move memories between tiers. Pin a memory that must stay in its tier.',
      action: 'Change',
    },
    { label: 'Tier', initial: first?.tier ?? 'l4', options: TIERS },
  );
  if (tier === undefined) return false;
  return changeMemories(source, rows, {
    change: { tier: tier as Tier },
    back: (row) => ({ tier: row.tier as Tier }),
    what: (memories) => `Moved ${memories} to tier ${tier}`,
  });
}

export async function confirmInvalidate(source: Source, rows: Rows): Promise<boolean> {
  const reason = await askFor(
    {
      title: `Invalidate ${memoriesOf(rows)}?`,
      text: `Recall will exclude them unless as_of is earlier.${undoWarning(source)}`,
      action: 'Invalidate',
      isDanger: !canImportRecords(source),
    },
    { label: 'Reason (stored with the memory)', initial: '', maxLength: REASON_MAX_LENGTH },
  );
  if (reason === undefined) return false;
  return invalidateMemories(
    source,
    rows.map(({ id }) => id),
    { reason },
  );
}

/** Invalidates a memory in favour of the one that it contradicts. */
export async function confirmReplace(source: Source, right: MemoryRow, wrong: MemoryRow): Promise<boolean> {
  const reason = await askFor(
    {
      title: 'Invalidate the other memory?',
      text: `Recall will exclude “${memoryTitle(wrong.content)}” unless as_of is earlier.${undoWarning(source)}`,
      action: 'Invalidate',
      isDanger: !canImportRecords(source),
    },
    {
      label: 'Reason (stored with the memory)',
      initial: 'Contradicted by the correct memory',
      maxLength: REASON_MAX_LENGTH,
    },
  );
  if (reason === undefined) return false;
  return invalidateMemories(source, [wrong.id], { reason, supersededBy: right.id });
}

export async function confirmDelete(source: Source, rows: readonly Named[]): Promise<boolean> {
  const isAgreed = await confirm({
    title: `Delete ${memoriesOf(rows)}?`,
    text: 'Its links and earlier versions are deleted as well. To keep a fact that was once true, invalidate it instead.',
    action: 'Delete',
    isDanger: true,
  });
  return (
    isAgreed &&
    deleteMemories(
      source,
      rows.map(({ id }) => id),
    )
  );
}

/** A warning where invalidating cannot be undone: only an import of records restores a valid state, no tool does. */
export function undoWarning(source: Source): string {
  return canImportRecords(source) ? '' : ' This cannot be undone here.';
}

function memoriesOf(rows: readonly Named[]): string {
  return counted(rows.length, 'memory', 'memories');
}
