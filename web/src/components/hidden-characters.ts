/** Characters that tools escape in their answers, as in `<U+200F>`: a text that is stored again has them as such. */

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

/** The text that a tool has escaped. A mark is read as its character, as tools read the names that they are given. */
export function unescaped(shown: string): string {
  return shown.replace(MARK, (mark, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return HIDDEN.some(([first, last]) => code >= first && code <= last) ? String.fromCodePoint(code) : mark;
  });
}

/** Whether a text of a tool has escaped characters. */
export function hasEscaped(shown: string): boolean {
  return unescaped(shown) !== shown;
}

/** A value of a tool's answer with all its texts as they are stored. */
export function asStored<T>(value: T): T {
  return stored(value) as T;
}

function stored(value: unknown): unknown {
  if (typeof value === 'string') return unescaped(value);
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [unescaped(key), stored(member)]));
}
