import type { ReactNode } from 'react';
import type { Selection } from '../../app/route.ts';
import type { ChoiceOption } from '../../components/choice.tsx';
import type {
  EntityRow,
  LinkRow,
  MemoryRow,
  ObservationRow,
  ReflectionRow,
  RelationRow,
} from '../../source/explorer-tools.ts';
import type { Output } from '../../source/tools.ts';
import type { Action } from './action.ts';
import type { Order } from './table-url-state.ts';

export type Row = EntityRow | ObservationRow | RelationRow | ReflectionRow | MemoryRow | LinkRow;
export type Stats = Output<'explore_stats'>;

export interface Column<R> {
  /** Its name for the tool, which orders by it. */
  readonly id: string;
  readonly title: string;
  /** Least width in pixels. */
  readonly least: number;
  /** Its share of what room is left; without one it takes none. */
  readonly share?: number;
  readonly isNumber?: boolean;
  show(row: R): ReactNode;
  /** For copying. */
  text(row: R): string;
}

/** A filter by a column, or by `type` or `status`, which the tool takes as words of their own. `=type` is a column of that name. */
export interface Filter {
  readonly name: string;
  readonly title: string;
  options(stats: Stats): readonly ChoiceOption[];
}

/** How the table shows a kind of record. */
export interface RecordKind<R> {
  readonly id: string;
  readonly title: string;
  readonly one: string;
  readonly many: string;
  readonly order: Order;
  readonly columns: readonly Column<R>[];
  readonly filters: readonly Filter[];
  readonly actions: readonly Action<R>[];
  count(counts: Stats['counts']): number;
  /** Whether its records belong to domains. */
  readonly hasDomains?: boolean;
  /** Names of the entities that a record is about, for the graph around them. */
  names(row: R): readonly string[];
  /** Ids of the memories that it is about, for the graph around them. */
  memories?(row: R): readonly string[];
  /** What is shown when a record is opened; without it, the first of the entities. */
  opened?(row: R): Selection;
  /** What is faint, because it is history. */
  isPast(row: R): boolean;
}

/** What is shown when a record is opened. */
export function selectionOf(kind: RecordKind<Row>, row: Row): Selection | undefined {
  if (kind.opened !== undefined) return kind.opened(row);
  const [id] = kind.names(row);
  return id === undefined ? undefined : { kind: 'entity', id };
}
