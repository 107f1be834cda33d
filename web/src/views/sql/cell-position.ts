/** The position of the active cell in a table. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

const PAGE_ROWS = 15;

/** The position that a key moves to; `undefined` for other keys. */
export function moved(
  from: CellPosition | undefined,
  key: string,
  isFar: boolean,
  rows: number,
  columns: number,
): CellPosition | undefined {
  if (rows === 0 || columns === 0) return undefined;
  const row = from?.row ?? -1;
  const column = from?.column ?? 0;
  const to = (nextRow: number, nextColumn: number): CellPosition => ({
    row: Math.min(rows - 1, Math.max(0, nextRow)),
    column: Math.min(columns - 1, Math.max(0, nextColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(row + 1, column);
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'ArrowRight':
      return to(row, from === undefined ? 0 : column + 1);
    case 'PageDown':
      return to(row + PAGE_ROWS, column);
    case 'PageUp':
      return to(row - PAGE_ROWS, column);
    case 'Home':
      return to(isFar ? 0 : row, 0);
    case 'End':
      return to(isFar ? rows - 1 : row, columns - 1);
    default:
      return undefined;
  }
}
