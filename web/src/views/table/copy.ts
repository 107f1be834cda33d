import { spreadsheetText } from '../../components/spreadsheet-text.ts';
import type { Column } from './record-kind.ts';

/** Formats rows for pasting into a spreadsheet: tab-separated, one line per row, titles first. */
export function copyText<R>(columns: readonly Column<R>[], rows: readonly R[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => column.text(row)))];
  return lines.map((cells) => cells.map(escapedCell).join('\t')).join('\n');
}

function escapedCell(text: string): string {
  return spreadsheetText(text).replace(/[\t\r\n]+/g, ' ');
}
