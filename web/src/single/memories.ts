/** The memories of an export and what hangs on them, as rows. */
import type { EntityRow, LinkRow, MemoryRow } from '../source/explorer-tools.ts';
import type { Output } from '../source/tools.ts';
import { type Line, maybe, number, push, word } from './line.ts';
import { namesIn } from './names-in-text.ts';
import { millisOf, timeOf, trustAt } from './trust.ts';

type Told = Output<'explore_memory'>;
type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** A memory and what only its inspector shows. */
export interface Kept {
  readonly row: MemoryRow;
  readonly more: Omit<Told['memory'], keyof MemoryRow>;
  /** The moment that its confidence is of. */
  readonly trustedAt: string;
}

export interface Mention {
  readonly memory: MemoryRow;
  readonly entity: EntityRow;
  readonly given: boolean;
}

export interface Memories {
  readonly domains: Output<'list_domains'>;
  readonly rows: readonly MemoryRow[];
  readonly keptOf: ReadonlyMap<string, Kept>;
  readonly links: readonly LinkRow[];
  /** Links and references from a memory and to it, by its id. */
  readonly linksOf: ReadonlyMap<string, readonly LinkRow[]>;
  readonly mentionsOf: ReadonlyMap<string, readonly Mention[]>;
  /** By the entity's name. */
  readonly mentionsOfEntity: ReadonlyMap<string, readonly Mention[]>;
  readonly historyOf: ReadonlyMap<string, Told['history']>;
  readonly sessionsOf: ReadonlyMap<string, Told['sessions']>;
}

const BEGINNING = 120;
const DAY_MILLIS = 86_400_000;

export function readMemories(linesOf: (kind: string) => readonly Line[], entityOf: ReadonlyMap<string, EntityRow>, nowMillis: number): Memories {
  const of = (kind: string): readonly Line[] => linesOf(kind).map(withPlainTimes);
  const current = word(of('current_domain')[0]?.['domain']) || 'general';
  const keptOf = new Map<string, Kept & { readonly row: Changeable<MemoryRow> }>();
  for (const line of of('memory')) keptOf.set(word(line['id']), kept(line, current, nowMillis));
  const rowOf = (id: unknown): Changeable<MemoryRow> | undefined => keptOf.get(word(id))?.row;

  const linksOf = new Map<string, LinkRow[]>();
  const links = [...of('memory_edge').map((line) => ({ line, isReference: false })), ...of('memory_reference').map((line) => ({ line, isReference: true }))].flatMap(({ line, isReference }) => {
    const [from, to] = [rowOf(line['from']), rowOf(line['to'])];
    const isDismissed = line['link_type'] === 'possible_contradiction' && line['strength'] === 0;
    return from === undefined || to === undefined || isDismissed ? [] : [link(line, from, to, isReference)];
  });
  for (const row of links) {
    for (const id of new Set([row.from_id, row.to_id])) {
      push(linksOf, id, row);
      const end = rowOf(id);
      if (end !== undefined) end.links += 1;
    }
  }

  const mentionsOf = new Map<string, Mention[]>();
  const mentionsOfEntity = new Map<string, Mention[]>();
  const given = new Map<string, string[]>();
  for (const line of of('memory_mention')) push(given, word(line['memory']), word(line['entity']));
  for (const { row } of keptOf.values()) {
    const named = new Set(given.get(row.id));
    const isEntity = (name: string): boolean => entityOf.has(name) && entityOf.get(name)?.status !== 'placeholder';
    for (const name of new Set([...named, ...namesIn(row.content, isEntity)])) {
      const entity = entityOf.get(name);
      if (entity === undefined) continue;
      const mention = { memory: row, entity, given: named.has(name) };
      push(mentionsOf, row.id, mention);
      push(mentionsOfEntity, name, mention);
      row.entities += 1;
    }
  }

  const rows = [...keptOf.values()].map(({ row }) => row);
  const lost = lostAmong(links, keptOf);
  for (const row of rows) row.status = statusOf(row, lost, timeOf(nowMillis));

  const historyOf = new Map<string, Told['history']>();
  for (const { memory, content, confidence, replaced_at } of of('memory_history')) {
    push(historyOf, word(memory), { content: word(content), confidence: number(confidence, 1), replaced_at: word(replaced_at) });
  }
  const sessionsOf = new Map<string, Told['sessions']>();
  for (const { memory, session, last } of of('memory_session')) push(sessionsOf, word(memory), { session_id: word(session), last_used: word(last) });
  return { domains: { domains: domains(of('domain'), rows), current }, rows, keptOf, links, linksOf, mentionsOf, mentionsOfEntity, historyOf, sessionsOf };
}

const TIMES: ReadonlySet<string> = new Set([
  'created_at', 'updated_at', 'last_accessed', 'confidence_at', 'event_time', 'valid_from', 'valid_until', 'expires_at', 'at', 'replaced_at', 'last', 'created', 'last_access',
]);

/** Memories may have times in ISO 8601; rows have them as `YYYY-MM-DD HH:MM:SS`. */
function withPlainTimes(line: Line): Line {
  const plain = (time: string): string => time.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
  return Object.fromEntries(Object.entries(line).map(([field, value]) => [field, typeof value === 'string' && TIMES.has(field) ? plain(value) : value]));
}

function kept(line: Line, current: string, nowMillis: number): Kept {
  const created = word(line['created_at']);
  const row: MemoryRow = {
    id: word(line['id']),
    content: word(line['content']),
    category: maybe(line['category']) ?? 'fact',
    subject: word(line['subject']),
    domain: maybe(line['domain']) ?? current,
    memory_type: maybe(line['memory_type']) ?? 'semantic',
    tier: maybe(line['tier']) ?? 'l4',
    heat: maybe(line['heat']) ?? 'cold',
    pinned: line['pinned'] === true,
    status: 'current',
    tags: Array.isArray(line['tags']) ? line['tags'].map(word) : [],
    importance: number(line['importance'], 1),
    confidence: number(line['confidence'], 1),
    effective_confidence: 0,
    links: 0,
    entities: 0,
    access_count: number(line['access_count'], 0),
    last_accessed: maybe(line['last_accessed']),
    user_id: maybe(line['user_id']),
    valid_until: maybe(line['valid_until']),
    superseded_by: maybe(line['superseded_by']),
    expires_at: maybe(line['expires_at']),
    created_at: created,
    updated_at: maybe(line['updated_at']),
  };
  const trustedAt = maybe(line['confidence_at']) ?? row.last_accessed ?? created;
  const metadata = maybe(line['metadata']);
  const more: Kept['more'] = {
    summary: maybe(line['summary']),
    source: maybe(line['source']),
    path: maybe(line['path']) ?? '/',
    event_time: maybe(line['event_time']),
    valid_from: maybe(line['valid_from']),
    invalidation_reason: maybe(line['invalidation_reason']),
    ...(metadata !== undefined && { metadata: JSON.parse(metadata) as object }),
  };
  return { row: { ...row, effective_confidence: trustAt(row, trustedAt, nowMillis) }, more, trustedAt };
}

function link(line: Line, from: MemoryRow, to: MemoryRow, isReference: boolean): LinkRow {
  const type = isReference ? word(line['description']) || 'related' : (maybe(line['link_type']) ?? 'related');
  const target = word(line['target_domain']);
  return {
    id: isReference ? `${from.id}=>${target}/${to.id}` : (maybe(line['id']) ?? `${from.id}-${to.id}-${type}`),
    is_reference: isReference,
    from_id: from.id,
    to_id: to.id,
    from: beginning(from.content),
    to: beginning(to.content),
    from_domain: maybe(line['domain']) ?? from.domain,
    to_domain: isReference ? target : (maybe(line['domain']) ?? to.domain),
    type,
    strength: isReference ? 1 : number(line['strength'], 1),
    bidirectional: line['bidirectional'] === true,
    created_at: isReference ? [from.created_at, to.created_at].sort()[1]! : word(line['at']),
  };
}

function beginning(content: string): string {
  return content.slice(0, BEGINNING).replace(/\s+/gu, ' ');
}

function statusOf({ id, valid_until, superseded_by, expires_at }: MemoryRow, lost: ReadonlySet<string>, now: string): string {
  if (valid_until !== undefined && (valid_until <= now || superseded_by !== undefined)) return 'ended';
  if (expires_at !== undefined && expires_at <= now) return 'expired';
  return lost.has(id) ? 'contradicted' : 'current';
}

/** Of two that contradict each other the older one loses when over a day lies between them, else the less trusted, else the older. What is pinned never loses. */
function lostAmong(links: readonly LinkRow[], keptOf: ReadonlyMap<string, Kept>): ReadonlySet<string> {
  const lost = new Set<string>();
  for (const { is_reference, type, from_id, to_id } of links) {
    const [a, b] = [keptOf.get(from_id), keptOf.get(to_id)];
    if (is_reference || type !== 'contradicts' || a === undefined || b === undefined || a.row.user_id !== b.row.user_id) continue;
    const loser = wins(a, b) ? b : a;
    const winner = loser === a ? b : a;
    if (winner.row.valid_until === undefined && !loser.row.pinned) lost.add(loser.row.id);
  }
  return lost;
}

function wins(a: Kept, b: Kept): boolean {
  const [one, other] = [a.more.event_time ?? a.row.created_at, b.more.event_time ?? b.row.created_at];
  if (Math.abs(millisOf(one) - millisOf(other)) > DAY_MILLIS) return one > other;
  if (a.row.confidence !== b.row.confidence) return a.row.confidence > b.row.confidence;
  return one === other ? a.row.id > b.row.id : one > other;
}

/** Those that lines tell of, and those that memories are of. */
function domains(lines: readonly Line[], rows: readonly MemoryRow[]): Output<'list_domains'>['domains'] {
  const counts = new Map<string, number>();
  for (const { domain } of rows) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  const told = new Map(lines.map((line) => [word(line['id']), line]));
  return [...new Set([...told.keys(), ...counts.keys()])].sort().map((id) => ({
    id,
    name: maybe(told.get(id)?.['name']) ?? id,
    description: maybe(told.get(id)?.['description']),
    created: word(told.get(id)?.['created']),
    last_access: word(told.get(id)?.['last_access']),
    memories: counts.get(id) ?? 0,
  }));
}
