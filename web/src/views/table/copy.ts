import type { Column } from './record-kind.ts';

/** Formats rows for pasting into a spreadsheet: tab-separated, one line per row, titles first. */
export function copyText<R>(columns: readonly Column<R>[], rows: readonly R[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => column.text(row)))];
  return lines.map((cells) => cells.map(escapedCell).join('\t')).join('\n');
}

/** A cell that begins with one of these would be a formula in a spreadsheet. */
const FORMULA = /^[=+\-@]/;

function escapedCell(text: string): string {
  const line = text.replace(/[\t\r\n]+/g, ' ');
  return FORMULA.test(line) ? `'${line}` : line;
}
