/**
 * Invisible characters, which answers of tools escape, as in `<U+200F>`. The explorer's own tools escape only texts of
 * memories, of their links and history: those are stored again as they were. All other texts that they return are as
 * they are stored, so that a mark in one of them was written by somebody.
 */

const MARK = /<U\+([0-9A-F]{4,6})>/g;

/** Invisible characters by their first and last code point, as in `limbic-guard/src/sanitize.rs`. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const JOINER = 0x200d;
const NON_JOINER = 0x200c;
const BLACK_FLAG = 0x1f3f4;
/** The flags of England, Scotland and Wales, the only valid use of tag characters. */
const TAG_FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((name) =>
  String.fromCodePoint(...[...name].map((letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f),
);
const EMOJI = [
  [0x2190, 0x2bff],
  [0x1f000, 0x1faff],
  [0x3030, 0x3030],
  [0x303d, 0x303d],
] as const;
/** Arabic and related, Indic, Mongolian, Khmer and related scripts. */
const JOINING = [
  [0x600, 0x61b],
  [0x61d, 0x109f],
  [0x1700, 0x18af],
  [0x1900, 0x1cff],
  [0xa800, 0xabff],
  [0xfb50, 0xfdff],
  [0xfe70, 0xfefc],
  [0x10a00, 0x11fff],
] as const;
const HAN = [
  [0x3400, 0x9fff],
  [0xf900, 0xfaff],
  [0x20000, 0x3ffff],
] as const;

/**
 * The stored text of one that a tool has escaped, as `unescape` in `limbic-guard/src/sanitize.rs` returns it. A text
 * that no tool would have escaped so, such as `❤<U+FE0F>`, is stored as it is shown.
 */
export function unescaped(shown: string): string {
  const text = withoutMarks(shown);
  return escaped(text) === shown ? text : shown;
}

/**
 * The text to store after a person has edited one that a tool has escaped. A mark is read as its character if the text
 * had any; else it was typed.
 */
export function unescapedEdit(shown: string, edited: string): string {
  return unescaped(shown) === shown ? edited : withoutMarks(edited);
}

/** A record of a tool's answer in which texts, and lists of texts, are escaped, with them as they are stored. */
export function unescapedIn<T extends object>(record: T, escapedFields: readonly (keyof T)[]): T {
  const fields = escapedFields.filter((field) => record[field] !== undefined);
  return { ...record, ...Object.fromEntries(fields.map((field) => [field, unescapedField(record[field])])) };
}

function unescapedField(value: unknown): unknown {
  return Array.isArray(value) ? value.map(unescapedField) : typeof value === 'string' ? unescaped(value) : value;
}

function withoutMarks(shown: string): string {
  return shown.replace(MARK, (mark, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return isIn(HIDDEN, code) ? String.fromCodePoint(code) : mark;
  });
}

/** A text as tools escape it; see `escape` in `limbic-guard/src/sanitize.rs`. */
export function escaped(text: string): string {
  const letters = [...text];
  let before: number | undefined;
  let flagUntil = 0;
  let at = 0;
  return letters
    .map((letter, index) => {
      const code = letter.codePointAt(0) ?? 0;
      if (before === BLACK_FLAG) {
        const flag = TAG_FLAGS.find((tags) => text.startsWith(tags, at));
        if (flag !== undefined) flagUntil = at + flag.length;
      }
      at += letter.length;
      const after = letters[index + 1]?.codePointAt(0);
      const isShown = !isIn(HIDDEN, code) || at <= flagUntil || isNeeded(before, code, after);
      before = isShown ? code : '>'.charCodeAt(0);
      return isShown ? letter : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
    })
    .join('');
}

/** Whether an invisible character is used correctly between its neighbours. */
function isNeeded(before: number | undefined, code: number, after: number | undefined): boolean {
  if (code === 0x0d) return after === 0x0a;
  if (before === undefined) return false;
  if (code === JOINER && (isIn(EMOJI, before) || before === 0xfe0f || before === 0x20e3))
    return after !== undefined && isIn(EMOJI, after);
  if (code === JOINER || code === NON_JOINER) return isIn(JOINING, before) && !isIn(HIDDEN, before);
  if (code >= 0x180b && code <= 0x180f) return before >= 0x1820 && before <= 0x18aa;
  if (code >= 0xfe00 && code <= 0xfe0f)
    return before < 0x80
      ? /[0-9#*]/.test(String.fromCodePoint(before))
      : !isIn(HIDDEN, before) && !/^[\s\u0085]$/u.test(String.fromCodePoint(before));
  return code >= 0xe0100 && code <= 0xe01ef && isIn(HAN, before);
}

function isIn(ranges: readonly (readonly [number, number])[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}
