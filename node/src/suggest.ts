/** Longer names are not compared: they are not typing errors, and the cost is the product of both lengths. */
const MAX_CHARS = 200;

/**
 * The known name with the smallest edit distance to `given`, if at most a third of its letters (two in short names)
 * differ; of several, the first in alphabetical order. The same rule as `nearest` in
 * `crates/limbic-tools/src/suggest.rs`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_CHARS) return undefined;
  const lower = given.toLowerCase();
  let best: { readonly name: string; readonly changes: number } | undefined;
  for (const name of known) {
    const maxChanges = Math.max(2, Math.floor(name.length / 3));
    // The difference in length is a lower bound of the distance.
    if (Math.abs(name.length - given.length) > maxChanges) continue;
    const changes = editDistance(lower, name.toLowerCase());
    if (changes > maxChanges) continue;
    if (best === undefined || changes < best.changes || (changes === best.changes && name < best.name)) {
      best = { name, changes };
    }
  }
  return best?.name;
}

/** The Levenshtein distance of two strings. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
