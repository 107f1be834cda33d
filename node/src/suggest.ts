/** Longer names are not compared: they are not typing errors, and the cost is the product of both lengths. */
const MAX_CHARS = 200;

/** The known name with the smallest edit distance to `given`, if it is close enough. */
export function suggest(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_CHARS) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(given.length / 3)) + 1;
  for (const name of known) {
    // The difference in length is a lower bound of the distance.
    if (Math.abs(name.length - given.length) >= bestDistance) continue;
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
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
