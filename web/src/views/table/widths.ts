import type { Column } from './record-kind.ts';

/** Width of the checkbox column in pixels. */
const MARK = 36;

/** The tracks of the grid, the same for every row, and their minimum total width in pixels. */
export function widths(columns: readonly Pick<Column<never>, 'minWidth' | 'share'>[]): {
  tracks: string;
  minWidth: number;
} {
  const tracks = columns.map(({ minWidth, share }) =>
    share === undefined ? `${minWidth}px` : `minmax(${minWidth}px, ${share}fr)`,
  );
  return {
    tracks: [`${MARK}px`, ...tracks].join(' '),
    minWidth: columns.reduce((sum, { minWidth }) => sum + minWidth, MARK),
  };
}
