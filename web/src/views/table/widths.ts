import type { Column } from './record-kind.ts';

/** Width of the checkbox column in pixels. */
const MARK = 36;

/** The tracks of the grid, the same for every row, and their minimum total width in pixels. */
export function widths(columns: readonly Pick<Column<never>, 'least' | 'share'>[]): { tracks: string; least: number } {
  const tracks = columns.map(({ least, share }) =>
    share === undefined ? `${least}px` : `minmax(${least}px, ${share}fr)`,
  );
  return { tracks: [`${MARK}px`, ...tracks].join(' '), least: columns.reduce((sum, { least }) => sum + least, MARK) };
}
