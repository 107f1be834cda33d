/** Paths into a value, by which `index` of LangGraph's stores selects the fields that searches see. */

/** Indices in brackets, several fields in braces, and names of fields between dots. */
const TOKENS = /\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g;

/**
 * The parts of a value at a path, as LangGraph's `InMemoryStore` reads it: fields (`metadata.title`), elements
 * (`authors[0].name`, `authors[-1]` from the end), all elements or fields (`chapters[*].content`, `*`), several fields
 * (`{title,metadata.note}`), or `$` for the value itself. Empty if the value has no such part.
 */
export function partsAt(value: unknown, path: string): unknown[] {
  if (path === '' || path === '$') return [value];
  const tokens = path.match(TOKENS) ?? [];
  return tokens.reduce<unknown[]>((parts, token) => parts.flatMap((part) => partsOf(part, token)), [value]);
}

/** The parts of a value that one token of a path names. */
function partsOf(value: unknown, token: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = token.slice(1, -1);
  if (token.startsWith('[')) return Array.isArray(value) ? elementsAt(value, inner) : [];
  if (token.startsWith('{')) {
    const paths = inner.split(',').map((path) => path.trim());
    return paths.filter((path) => path !== '').flatMap((path) => partsAt(value, path));
  }
  if (token === '*') return Object.values(value);
  return Object.hasOwn(value, token) ? [(value as Record<string, unknown>)[token]] : [];
}

function elementsAt(list: readonly unknown[], index: string): unknown[] {
  if (index === '*') return [...list];
  const at = Number.parseInt(index, 10);
  const found = Number.isNaN(at) ? undefined : list.at(at);
  return found === undefined ? [] : [found];
}
