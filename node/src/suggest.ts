/** Longer names are not compared: they are not typing errors, and the cost is the product of both lengths. */
const MAX_CHARS = 200;

/**
 * The known name with the smallest edit distance to `given`, ignoring case, if it is near enough: at most a third of
 * its letters differ, or two in names of five letters, one in names of three or four, and none in shorter ones. A swap
 * of neighbours counts as one. Of several names, the first in alphabetical order. The same rule as `nearest` in
 * `crates/limbic-tools/src/suggest.rs`; both are tested with `tests/files/suggestions.json`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const letters = [...given.toLowerCase()];
  if (letters.length > MAX_CHARS) return undefined;
  let best: { readonly name: string; readonly changes: number } | undefined;
  for (const name of known) {
    const lower = [...name.toLowerCase()];
    const limit = maxChanges(lower.length);
    // The difference in length is a lower bound of the distance.
    if (Math.abs(lower.length - letters.length) > limit) continue;
    const changes = editDistance(letters, lower);
    if (changes > limit) continue;
    if (best === undefined || changes < best.changes || (changes === best.changes && name < best.name)) {
      best = { name, changes };
    }
  }
  return best?.name;
}

/** The maximum distance of a misspelling from a name of this length. */
function maxChanges(length: number): number {
  if (length <= 2) return 0;
  return length <= 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** The number of letters to insert, remove or replace, and of neighbours to swap (optimal string alignment). */
function editDistance(left: readonly string[], right: readonly string[]): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swapped));
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
