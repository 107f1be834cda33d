/** What `explore_records` answers. */
import type { EntityRow, LinkRow, MemoryRow, ObservationRow, ReflectionRow, RelationRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import { checkDomain } from './domain.ts';
import { isWithin } from './interval.ts';
import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';

type Asked = Input<'explore_records'>;
type Row = EntityRow | ObservationRow | RelationRow | ReflectionRow | MemoryRow | LinkRow;

const LIMIT = 100;

export function records(memory: Memory, asked: Asked): Output<'explore_records'> {
  const { kind, text, sort, descending = false, limit = LIMIT, offset = 0 } = asked;
  if (kind === 'links' && asked.entity_type !== undefined) throw refusal('invalid_argument', 'links are of no entity type');
  checkDomain(memory, asked.domain);
  const all = rowsOf(memory, kind);
  const wanted = text?.toLowerCase();
  const fitting = all.filter(
    (row) =>
      (wanted === undefined || textsOf(memory, row).some((value) => value.toLowerCase().includes(wanted))) &&
      hasType(memory, row, asked.entity_type) &&
      hasStatus(row, asked.status) &&
      isOf(row, asked.domain) &&
      Object.entries(asked.filter ?? {}).every(([column, value]) => String(field(row, column) ?? '') === value) &&
      isWithin(row.created_at, asked.since, asked.until),
  );
  if (sort !== undefined) {
    const turn = descending ? -1 : 1;
    fitting.sort((a, b) => turn * compared(field(a, sort), field(b, sort)) || (a.id < b.id ? -1 : 1));
  }
  const rows = fitting.slice(offset, offset + limit) as Output<'explore_records'>['rows'];
  return { kind, rows, total: fitting.length, columns: Object.keys(all[0] ?? {}) };
}

function rowsOf(memory: Memory, kind: Asked['kind']): readonly Row[] {
  if (kind === 'memories') return memory.memories.rows;
  return kind === 'links' ? memory.memories.links : memory[kind];
}

/** Texts that a person looks for: names, types and what was written, not times. */
function textsOf({ memories: { keptOf } }: Memory, row: Row): readonly string[] {
  if ('category' in row) {
    const { summary = '', path = '' } = keptOf.get(row.id)?.more ?? {};
    return [row.content, row.subject, summary, path, ...row.tags];
  }
  if ('is_reference' in row) return [row.type, ...[row.from_id, row.to_id].map((id) => keptOf.get(id)?.row.content ?? '')];
  return Object.entries(row).flatMap(([column, value]) => (typeof value === 'string' && !column.endsWith('_at') ? [value] : []));
}

function hasType({ entityOf, memories }: Memory, row: Row, type: string | undefined): boolean {
  if (type === undefined) return true;
  if ('entityType' in row) return row.entityType === type;
  if ('category' in row) return (memories.mentionsOf.get(row.id) ?? []).some(({ entity }) => entity.entityType === type);
  if ('from' in row) return [row.from, row.to].some((name) => entityOf.get(name)?.entityType === type);
  if ('entity' in row) return entityOf.get(row.entity)?.entityType === type;
  return 'target_type' in row && row.target_type === 'entity' && row.target !== undefined && entityOf.get(row.target)?.entityType === type;
}

function hasStatus(row: Row, status: string | undefined): boolean {
  if (status === undefined) return true;
  if ('entityType' in row || 'category' in row) return row.status === status;
  if ('is_reference' in row) return row.is_reference === (status === 'reference');
  if ('active' in row) return row.active === (status === 'active');
  if (!('similarity_flag' in row)) return false;
  if (status === 'flagged') return row.similarity_flag === 1;
  return (row.superseded_at === undefined) === (status === 'current');
}

/** Entities, and what hangs on them, are of no domain. */
function isOf(row: Row, domain: string | undefined): boolean {
  if (domain === undefined) return true;
  if ('category' in row) return row.domain === domain;
  return !('is_reference' in row) || row.from_domain === domain || row.to_domain === domain;
}

function field(row: Row, column: string): unknown {
  const value = (row as unknown as Readonly<Record<string, unknown>>)[column];
  return typeof value === 'boolean' && column === 'pinned' ? Number(value) : value;
}

/** Texts without regard to case; what is missing first. */
function compared(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'string' && typeof b === 'string') {
    const [left, right] = [a.toLowerCase(), b.toLowerCase()];
    return left < right ? -1 : Number(left > right);
  }
  return Number(a) - Number(b);
}
