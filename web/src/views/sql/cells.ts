/** Cells of a result: their text, the widths of their columns, and their form in CSV and JSON. */
import { spreadsheetText } from '../../components/spreadsheet-text.ts';

export type Cell = null | number | string | { readonly bytes: number };

export interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export type CellKind = 'null' | 'number' | 'text' | 'blob';

export function kindOf(cell: Cell): CellKind {
  if (cell === null) return 'null';
  if (typeof cell === 'object') return 'blob';
  return typeof cell === 'number' ? 'number' : 'text';
}

/** The text of a cell. NULL is styled differently from the text "NULL". */
export function textOf(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'object')
    return `blob, ${cell.bytes.toLocaleString('en')} ${cell.bytes === 1 ? 'byte' : 'bytes'}`;
  return String(cell);
}

const SAMPLE_ROWS = 100;
const CHARACTER_PX = 7.3;
const PADDING_PX = 26;
const WIDTH_MIN_PX = 64;
const WIDTH_MAX_PX = 420;

/** Widths in pixels, from the first rows. */
export function widthsOf({ columns, rows }: Result): number[] {
  return columns.map((name, column) => {
    let length = name.length;
    for (const row of rows.slice(0, SAMPLE_ROWS)) length = Math.max(length, textOf(row[column] ?? null).length);
    return Math.round(Math.min(WIDTH_MAX_PX, Math.max(WIDTH_MIN_PX, length * CHARACTER_PX + PADDING_PX)));
  });
}

/**
 * Formats a result as CSV (RFC 4180). NULL is an empty field, an empty text is `""`; of a blob only the size is
 * written. Texts are no formulas for spreadsheets.
 */
export function toCsv({ columns, rows }: Result): string {
  const lines = [columns.map((name) => csvText(spreadsheetText(name))), ...rows.map((row) => row.map(csvField))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/** Formats the rows as JSON objects. The second of two columns with the same name is `name_2`. */
export function toJson({ columns, rows }: Result): string {
  const names = distinct(columns);
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))),
    null,
    2,
  );
}

function csvField(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return csvText(textOf(cell));
  return typeof cell === 'number' ? String(cell) : csvText(spreadsheetText(cell));
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function distinct(columns: readonly string[]): string[] {
  const taken = new Set<string>();
  return columns.map((name) => {
    let free = name;
    for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}
