/** What `explore_records` answers. */
import type { EntityRow, ObservationRow, ReflectionRow, RelationRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import { isWithin } from './interval.ts';
import type { Memory } from './memory.ts';

type Asked = Input<'explore_records'>;
type Row = EntityRow | ObservationRow | RelationRow | ReflectionRow;

const LIMIT = 100;

export function records(memory: Memory, asked: Asked): Output<'explore_records'> {
  const { kind, text, sort, descending = false, limit = LIMIT, offset = 0 } = asked;
  const all: readonly Row[] = kind === 'memories' || kind === 'links' ? [] : memory[kind];
  const wanted = text?.toLowerCase();
  const fitting = all.filter(
    (row) =>
      (wanted === undefined || textsOf(row).some((value) => value.toLowerCase().includes(wanted))) &&
      hasType(memory, row, asked.entity_type) &&
      hasStatus(row, asked.status) &&
      Object.entries(asked.filter ?? {}).every(([column, value]) => String(field(row, column) ?? '') === value) &&
      isWithin(row.created_at, asked.since, asked.until),
  );
  if (sort !== undefined) {
    const turn = descending ? -1 : 1;
    fitting.sort((a, b) => turn * compared(field(a, sort), field(b, sort)) || a.id - b.id);
  }
  const rows = fitting.slice(offset, offset + limit) as Output<'explore_records'>['rows'];
  return { kind, rows, total: fitting.length, columns: Object.keys(all[0] ?? {}) };
}

/** Texts that a person looks for: names, types and what was written, not times. */
function textsOf(row: Row): readonly string[] {
  return Object.entries(row).flatMap(([column, value]) => (typeof value === 'string' && !column.endsWith('_at') ? [value] : []));
}

function hasType({ entityOf }: Memory, row: Row, type: string | undefined): boolean {
  if (type === undefined) return true;
  if ('entityType' in row) return row.entityType === type;
  if ('from' in row) return [row.from, row.to].some((name) => entityOf.get(name)?.entityType === type);
  if ('entity' in row) return entityOf.get(row.entity)?.entityType === type;
  return row.target_type === 'entity' && row.target !== undefined && entityOf.get(row.target)?.entityType === type;
}

function hasStatus(row: Row, status: string | undefined): boolean {
  if (status === undefined) return true;
  if ('entityType' in row) return row.status === status;
  if ('active' in row) return row.active === (status === 'active');
  if (!('similarity_flag' in row)) return false;
  if (status === 'flagged') return row.similarity_flag === 1;
  return (row.superseded_at === undefined) === (status === 'current');
}

function field(row: Row, column: string): unknown {
  return (row as unknown as Readonly<Record<string, unknown>>)[column];
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
