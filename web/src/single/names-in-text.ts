/** Which names stand in a text as whole words, spelled as they are. An export tells only those that somebody gave. */
const WORDS_MAX = 5;
/** A name of plain letters must have so many to count. */
const LETTERS_MIN = 3;
const MARKS_AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

export function namesIn(text: string, isName: (run: string) => boolean): ReadonlySet<string> {
  const parts = text.split(/\s+/u);
  const found = new Set<string>();
  for (let from = 0; from < parts.length; from += 1) {
    for (let to = from + 1; to <= Math.min(parts.length, from + WORDS_MAX); to += 1) {
      const run = parts.slice(from, to).join(' ').replace(MARKS_AROUND, '');
      if (isTelling(run) && isName(run)) found.add(run);
    }
  }
  return found;
}

function isTelling(name: string): boolean {
  return name !== '' && (name.length >= LETTERS_MIN || !/^[a-z]+$/iu.test(name));
}
