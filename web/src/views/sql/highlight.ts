/** Splits a SQL text into tokens for syntax highlighting. Concatenated, they are the unchanged text. */
export interface Piece {
  readonly text: string;
  readonly what: 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'plain';
}

const KEYWORDS = new Set(
  `all and as asc between by case cast collate cross current desc distinct else end escape except exists explain filter
  first following from full glob group having in index indexed inner intersect into is isnull join last left like limit
  match materialized natural not notnull null nulls offset on or order outer over partition plan preceding query range
  recursive regexp right row rows select then ties unbounded union using values view when where window with`.split(
    /\s+/,
  ),
);

const TOKEN =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?)|(?<number>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b0x[0-9a-f]+\b)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)/giu;

export function highlight(sql: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const [text] = match;
    const { comment, text: quoted, name, number } = match.groups ?? {};
    if (match.index > end) pieces.push({ text: sql.slice(end, match.index), what: 'plain' });
    if (comment !== undefined) pieces.push({ text, what: 'comment' });
    else if (quoted !== undefined) pieces.push({ text, what: 'text' });
    else if (name !== undefined) pieces.push({ text, what: 'name' });
    else if (number !== undefined) pieces.push({ text, what: 'number' });
    else pieces.push({ text, what: KEYWORDS.has(text.toLowerCase()) ? 'keyword' : 'plain' });
    end = match.index + text.length;
  }
  if (end < sql.length) pieces.push({ text: sql.slice(end), what: 'plain' });
  return pieces;
}

/** Quotes a name for SQL unless it is a plain word. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !KEYWORDS.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}
