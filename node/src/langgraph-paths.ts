/** Paths into a value, by which `index` of LangGraph's stores selects the fields that searches see. */

/** Indices in brackets, several fields in braces, and names of fields between dots. */
const TOKENS = /\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g;

/**
 * The parts of a value at a path, as LangGraph's `InMemoryStore` reads it: fields (`metadata.title`), elements
 * (`authors[0].name`, `authors[-1]` from the end), all elements or fields (`chapters[*].content`, `*`), or several
 * fields (`{title,metadata.note}`), whatever follows them. A path that begins with `$` selects the value itself,
 * whatever follows. Empty if the value has no such part.
 */
export function partsAt(value: unknown, path: string): unknown[] {
  const tokens = path.match(TOKENS) ?? [];
  const parts = path === '$' ? [] : partsBelow(value, tokens);
  return tokens[0] === '$' ? [value, ...parts] : parts;
}

/** The parts of a value that the tokens of a path lead to. */
function partsBelow(value: unknown, [token, ...others]: readonly string[]): unknown[] {
  if (token === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const inner = token.slice(1, -1);
  if (token.startsWith('{')) return inner.split(',').flatMap((path) => fieldAt(value, path.trim()));
  return partsOf(value, token, inner).flatMap((part) => partsBelow(part, others));
}

/** The parts of a value that one token of a path names. */
function partsOf(value: object, token: string, inner: string): unknown[] {
  if (token.startsWith('[')) return Array.isArray(value) ? elementsAt(value, inner) : [];
  return token === '*' ? Object.values(value) : fieldOf(value, token);
}

/** The field at a path in braces, which consists of names only. */
function fieldAt(value: object, path: string): unknown[] {
  const names = path.match(TOKENS) ?? [];
  return names.length === 0
    ? []
    : names.reduce<unknown[]>((parts, name) => parts.flatMap((part) => fieldOf(part, name)), [value]);
}

function fieldOf(value: unknown, name: string): unknown[] {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isThere ? [(value as Record<string, unknown>)[name]] : [];
}

function elementsAt(list: readonly unknown[], index: string): unknown[] {
  if (index === '*') return [...list];
  const at = Number.parseInt(index, 10);
  const found = Number.isNaN(at) ? undefined : list.at(at);
  return found === undefined ? [] : [found];
}
