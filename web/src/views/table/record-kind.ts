import type { LucideIcon } from 'lucide-react';
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
import type { Source } from '../../source/source.ts';
import type { Output } from '../../source/tools.ts';
import type { Order } from './table-url-state.ts';

export type Row = EntityRow | ObservationRow | RelationRow | ReflectionRow | MemoryRow | LinkRow;
export type Stats = Output<'explore_stats'>;

export interface Column<R> {
  /** The tool's name of the column, for sorting. */
  readonly id: string;
  readonly title: string;
  /** Minimum width in pixels. */
  readonly minWidth: number;
  /** Its share of the remaining width; without it, none. */
  readonly share?: number;
  readonly isNumber?: boolean;
  show(row: R): ReactNode;
  /** The text that is copied. */
  text(row: R): string;
}

/**
 * A filter by a column, or by `type` or `status`, which are separate arguments of the tool. `=type` is a column of that
 * name.
 */
export interface Filter {
  readonly name: string;
  readonly title: string;
  /** The values to choose from; without it, the value is typed. */
  options?(stats: Stats): readonly ChoiceOption[];
  /** What a field for a typed value shows while it is empty. */
  readonly example?: string;
}

/** An action on selected rows. */
export interface Action<R> {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
  /** Whether it shows its own dialog. */
  readonly asks?: boolean;
  /** What Undo does, if the action deletes no records; shown before it runs on many. */
  readonly undoText?: string;
  /** Whether the action applies to a row. */
  fits(row: R): boolean;
  /** Runs the action and reports the result. Returns whether it was done. */
  run(source: Source, rows: readonly R[]): Promise<boolean>;
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
  /** Names of the record's entities, for the graph around them. */
  names(row: R): readonly string[];
  /** Ids of the record's memories, for the graph around them. */
  memories?(row: R): readonly string[];
  /** The record that opening a row shows; default: the first of its entities. */
  opened?(row: R): Selection;
  /** Whether a record is history, which is shown dimmed. */
  isPast(row: R): boolean;
}

/** The record that opening a row shows. */
export function selectionOf(kind: RecordKind<Row>, row: Row): Selection | undefined {
  if (kind.opened !== undefined) return kind.opened(row);
  const [id] = kind.names(row);
  return id === undefined ? undefined : { kind: 'entity', id };
}
