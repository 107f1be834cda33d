/** The selection of a table's rows and the active row. */

type RowId = number | string;

interface Identified {
  readonly id: RowId;
}

export interface RowSelection<R extends Identified> {
  /** Index of the active row; -1 if there is none. */
  readonly active: number;
  /** Index at which a range begins. */
  readonly anchor: number;
  /** The selection when the range began. */
  readonly before: ReadonlyMap<RowId, R>;
  readonly chosen: ReadonlyMap<RowId, R>;
}

export function emptySelection<R extends Identified>(active = -1): RowSelection<R> {
  return { active, anchor: Math.max(0, active), before: new Map(), chosen: new Map() };
}

/** Activates a row without changing the selection. */
export function moveTo<R extends Identified>(selection: RowSelection<R>, index: number): RowSelection<R> {
  return { ...selection, active: index, anchor: index, before: selection.chosen };
}

/** Selects or deselects a row. */
export function toggle<R extends Identified>(selection: RowSelection<R>, index: number, row: R): RowSelection<R> {
  const chosen = new Map(selection.chosen);
  if (!chosen.delete(row.id)) chosen.set(row.id, row);
  return { active: index, anchor: index, before: chosen, chosen };
}

/** Selects only this row. */
export function selectOnly<R extends Identified>(index: number, row: R): RowSelection<R> {
  const chosen = new Map([[row.id, row]]);
  return { active: index, anchor: index, before: new Map(), chosen };
}

/** Selects the rows from the anchor to an index, replacing the previous range. */
export function selectRange<R extends Identified>(
  selection: RowSelection<R>,
  index: number,
  rows: readonly R[],
): RowSelection<R> {
  return {
    ...selection,
    active: index,
    chosen: new Map([...selection.before, ...rows.map((row) => [row.id, row] as const)]),
  };
}

export function selectAll<R extends Identified>(selection: RowSelection<R>, rows: readonly R[]): RowSelection<R> {
  const chosen = new Map(rows.map((row) => [row.id, row] as const));
  return { ...selection, before: chosen, chosen };
}

/** The row that a key moves to, or `undefined`. */
export function targetRow(key: string, active: number, total: number, pageRows: number): number | undefined {
  if (total === 0) return undefined;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active < 0 ? 0 : active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: total - 1,
  };
  const wanted = steps[key];
  return wanted === undefined ? undefined : Math.min(total - 1, Math.max(0, wanted));
}
