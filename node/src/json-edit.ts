/**
 * Changes of a JSON text that keep all else in it as it is written: numbers that JavaScript cannot hold, keys that
 * occur twice, white space. The text must be valid JSON.
 */

/** A value in an object or a list: its key, if any, and where it is. */
interface Part {
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** An object or a list: its parts, and where its brackets are. */
interface Container {
  readonly open: number;
  readonly parts: readonly Part[];
  readonly close: number;
}

/** How a text is indented, and how its lines end. */
interface Layout {
  readonly indent: string;
  readonly lineEnd: string;
}

const BLANK = /[ \t\r\n]*/y;
/** What matters in an object or a list: a bracket, or the start of a string, which may contain brackets. */
const BRACKET_OR_QUOTE = /[[\]{}"]/g;

/** Adds an item to the end of the list at a path of keys; objects on the way, and the list, are added if missing. */
export function withItem(text: string, path: readonly string[], item: unknown): string {
  const layout = layoutOf(text);
  let start = afterBlank(text, 0);
  for (const [depth, key] of path.entries()) {
    const object = containerAt(text, start);
    // Of equal keys the last one counts.
    const found = object.parts.filter((part) => part.key === key).at(-1);
    const missing = path.slice(depth + 1).reduceRight<unknown>((value, next) => ({ [next]: value }), [item]);
    if (found === undefined) {
      const member = `${JSON.stringify(key)}: ${written(missing, depth + 1, layout)}`;
      return appended(text, object, { written: member, depth: depth + 1, layout });
    }
    if (text.startsWith('null', found.start)) {
      return text.slice(0, found.start) + written(missing, depth + 1, layout) + text.slice(found.end);
    }
    start = found.start;
  }
  const depth = path.length + 1;
  return appended(text, containerAt(text, start), { written: written(item, depth, layout), depth, layout });
}

function afterBlank(text: string, start: number): number {
  BLANK.lastIndex = start;
  BLANK.exec(text);
  return BLANK.lastIndex;
}

function afterString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
  return end + 1;
}

function afterValue(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return afterString(text, start);
  if (first === '{' || first === '[') {
    let depth = 0;
    BRACKET_OR_QUOTE.lastIndex = start;
    for (let found = BRACKET_OR_QUOTE.exec(text); found !== null; found = BRACKET_OR_QUOTE.exec(text)) {
      if (found[0] === '"') BRACKET_OR_QUOTE.lastIndex = afterString(text, found.index);
      else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
      if (depth === 0) return BRACKET_OR_QUOTE.lastIndex;
    }
    throw new Error('it is not valid JSON');
  }
  let end = start;
  while (end < text.length && !' \t\r\n,]}'.includes(text.charAt(end))) end += 1;
  return end;
}

function containerAt(text: string, open: number): Container {
  const isObject = text.charAt(open) === '{';
  const parts: Part[] = [];
  let place = afterBlank(text, open + 1);
  while (place < text.length && !'}]'.includes(text.charAt(place))) {
    let key: string | undefined;
    if (isObject) {
      const end = afterString(text, place);
      key = String(JSON.parse(text.slice(place, end)));
      place = afterBlank(text, afterBlank(text, end) + 1);
    }
    const end = afterValue(text, place);
    parts.push({ key, start: place, end });
    place = afterBlank(text, end);
    if (text.charAt(place) === ',') place = afterBlank(text, place + 1);
  }
  return { open, parts, close: place };
}

/** The layout of the first line below the first bracket; two blanks if there is none. */
function layoutOf(text: string): Layout {
  const found = /^\s*\{[ \t]*\r?\n([ \t]+)/.exec(text)?.[1];
  return { indent: found ?? '  ', lineEnd: text.includes('\r\n') ? '\r\n' : '\n' };
}

function written(value: unknown, depth: number, { indent, lineEnd }: Layout): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + indent.repeat(depth));
}

function appended(
  text: string,
  { open, parts, close }: Container,
  added: { readonly written: string; readonly depth: number; readonly layout: Layout },
): string {
  const { indent, lineEnd } = added.layout;
  const line = lineEnd + indent.repeat(added.depth);
  const last = parts.at(-1)?.end;
  const before = last === undefined ? text.slice(0, open + 1) : `${text.slice(0, last)},`;
  const blank = last === undefined ? '' : text.slice(last, close);
  const end = blank.includes('\n') ? blank : lineEnd + indent.repeat(added.depth - 1);
  return before + line + added.written + end + text.slice(close);
}
