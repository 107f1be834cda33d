/** Snapshots of deleted memories as records of a Limbic export. */
import { unescaped, unescapedIn } from '../components/hidden-characters.ts';
import type { Output } from '../source/tools.ts';
import type { ExportRecord } from './undo-snapshot.ts';

export type MemorySnapshot = Output<'explore_memory'>;
type Memory = MemorySnapshot['memory'];
type Link = MemorySnapshot['links'][number];
type Origin = NonNullable<Memory['written_by']>;

/** The fields of a memory, of its origin and of its earlier states that `explore_memory` escapes. */
const ESCAPED = ['content', 'subject', 'tags', 'summary', 'source', 'path', 'invalidation_reason', 'origin'] as const;
const ESCAPED_OF_ORIGIN = ['label', 'client', 'session', 'project', 'file', 'import_id'] as const;
const ESCAPED_EARLIER = ['content', 'subject', 'tags'] as const;

/** A memory as it is stored. */
export function storedMemory(memory: Memory): Memory {
  const { written_by, ...fields } = unescapedIn(memory, ESCAPED);
  return written_by === undefined
    ? fields
    : { ...fields, written_by: unescapedIn<Origin>(written_by, ESCAPED_OF_ORIGIN) };
}

/** All records that are deleted with these memories, except audit lines. */
export function memoryRecords(snapshots: readonly MemorySnapshot[]): ExportRecord[] {
  // Two of them may be linked with each other.
  const links = [...new Map(snapshots.flatMap((snapshot) => snapshot.links).map((link) => [link.id, link])).values()];
  return [
    ...snapshots.map(stateRecord),
    ...links.map((link) => (link.is_reference ? referenceRecord(link) : edgeRecord(link))),
    ...snapshots.flatMap(({ memory, entities }) =>
      entities
        .filter(({ given }) => given)
        .map(({ name }) => ({ record: 'memory_mention', memory: memory.id, entity: name })),
    ),
    ...snapshots.flatMap(({ memory, history }) =>
      history.map((earlier) => ({
        record: 'memory_history',
        memory: memory.id,
        ...unescapedIn(earlier, ESCAPED_EARLIER),
      })),
    ),
    ...snapshots.flatMap(({ memory, sessions }) =>
      sessions.map(({ session_id, last_used }) => ({
        record: 'memory_session',
        memory: memory.id,
        session: session_id,
        last: last_used,
      })),
    ),
  ];
}

/** The record of a memory, with exact times: which of two memories was stated last may decide which one is shown. */
export function stateRecord({ memory, times }: MemorySnapshot): ExportRecord {
  const { effective_confidence: _, links: __, entities: ___, status: ____, metadata, ...state } = storedMemory(memory);
  return {
    record: 'memory',
    ...state,
    ...times,
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
  };
}

/** The links that superseded other memories; an imported link does not invalidate its target. */
export function supersededBy({ memory, links }: MemorySnapshot): Link[] {
  return links.filter(
    ({ type, is_reference, from_id }) => type === 'supersedes' && !is_reference && from_id === memory.id,
  );
}

function edgeRecord({ id, from_id, to_id, type, strength, created_at }: Link): ExportRecord {
  return {
    record: 'memory_edge',
    id: unescaped(id),
    from: from_id,
    link_type: unescaped(type),
    to: to_id,
    strength,
    at: created_at,
  };
}

function referenceRecord({ from_id, to_id, from_domain, to_domain, type, bidirectional }: Link): ExportRecord {
  return {
    record: 'memory_reference',
    from: from_id,
    domain: from_domain,
    to: to_id,
    target_domain: to_domain,
    description: type === 'related' ? undefined : unescaped(type),
    bidirectional,
  };
}
