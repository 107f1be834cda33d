/** A longer text is no slip of the keys, and comparing takes as long as the product of both lengths. */
const CHARS_MAX = 200;

/** The known name that `given` was probably meant to be, if one is close enough to be worth naming. */
export function suggest(given: string, known: readonly string[]): string | undefined {
  if (given.length > CHARS_MAX) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(given.length / 3)) + 1;
  for (const name of known) {
    // So many letters must be put in or taken out at least.
    if (Math.abs(name.length - given.length) >= bestDistance) continue;
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many letters must be put in, taken out or changed to turn one text into the other. */
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
