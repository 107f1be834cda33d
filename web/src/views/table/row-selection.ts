/** Which rows of a table are marked, and which one the keyboard is at. */

type RowId = number | string;

interface Identified {
  readonly id: RowId;
}

export interface RowSelection<R extends Identified> {
  /** Place of the row that the keyboard is at; -1 before there is one. */
  readonly active: number;
  /** Where a range begins. */
  readonly anchor: number;
  /** What was marked when the range began. */
  readonly before: ReadonlyMap<RowId, R>;
  readonly chosen: ReadonlyMap<RowId, R>;
}

export function emptySelection<R extends Identified>(active = -1): RowSelection<R> {
  return { active, anchor: Math.max(0, active), before: new Map(), chosen: new Map() };
}

/** Goes to a row and leaves the marks as they are. */
export function moveTo<R extends Identified>(selection: RowSelection<R>, index: number): RowSelection<R> {
  return { ...selection, active: index, anchor: index, before: selection.chosen };
}

/** Marks a row, or takes its mark away. */
export function toggle<R extends Identified>(selection: RowSelection<R>, index: number, row: R): RowSelection<R> {
  const chosen = new Map(selection.chosen);
  if (!chosen.delete(row.id)) chosen.set(row.id, row);
  return { active: index, anchor: index, before: chosen, chosen };
}

/** Marks a row and no other. */
export function selectOnly<R extends Identified>(index: number, row: R): RowSelection<R> {
  const chosen = new Map([[row.id, row]]);
  return { active: index, anchor: index, before: new Map(), chosen };
}

/** Marks the rows from the anchor to a place, in place of what the range held before. */
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

/** Where a key leads, or undefined when it leads nowhere. */
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
