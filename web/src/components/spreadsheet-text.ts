/** A text that begins with one of these would be a formula in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r\n]/;
/** Integers that JavaScript cannot represent are texts in answers. */
const INTEGER = /^-?\d+$/;

/** A stored text for a cell of a spreadsheet: an apostrophe before what would be run as a formula. */
export function spreadsheetText(text: string): string {
  return FORMULA.test(text) && !INTEGER.test(text) ? `'${text}` : text;
}
