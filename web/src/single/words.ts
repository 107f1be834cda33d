/** An index of words over texts: BM25. */

/** How soon repetition stops to count, and how much a long text is discounted. */
const K1 = 1.2;
const B = 0.75;
/** A word that only begins as the question's, and one that holds it: writing without spaces has long words. */
const PREFIX = 0.6;
const PREFIX_LENGTH_MIN = 3;
const INSIDE = 0.5;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

export interface Scores {
  /** By the number of the text. */
  readonly ofText: ReadonlyMap<number, number>;
  /** The most that the question can give a text. */
  readonly most: number;
}

export class WordIndex {
  readonly #lengths: number[] = [];
  /** For each word the texts that hold it, by number, with how often. */
  readonly #places = new Map<string, Map<number, number>>();
  #lengthInAll = 0;

  /** Answers the number of the text. */
  add(text: string): number {
    const found = words(text);
    const number = this.#lengths.push(found.length) - 1;
    this.#lengthInAll += found.length;
    for (const word of found) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      this.#places.set(word, places);
      places.set(number, (places.get(number) ?? 0) + 1);
    }
    return number;
  }

  ask(question: string): Scores {
    const ofText = new Map<number, number>();
    let most = 0;
    for (const word of new Set(words(question))) most += this.#score(word, ofText);
    return { ofText, most };
  }

  /** Adds what a word of the question gives to each text; answers the most that it can give. */
  #score(wanted: string, scores: Map<number, number>): number {
    const meanLength = this.#lengthInAll / Math.max(1, this.#lengths.length);
    const strengths = new Map<number, number>();
    for (const [word, places] of this.#places) {
      const likeness = likenessOf(wanted, word);
      if (likeness === 0) continue;
      for (const [number, count] of places) {
        const length = this.#lengths[number] ?? 0;
        const strength = (likeness * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meanLength));
        strengths.set(number, Math.max(strengths.get(number) ?? 0, strength));
      }
    }
    const rarity = Math.log(1 + (this.#lengths.length - strengths.size + 0.5) / (strengths.size + 0.5));
    for (const [number, strength] of strengths) scores.set(number, (scores.get(number) ?? 0) + rarity * strength);
    return rarity * (K1 + 1);
  }
}

function likenessOf(wanted: string, word: string): number {
  if (word === wanted) return 1;
  if (wanted.length >= PREFIX_LENGTH_MIN && word.startsWith(wanted)) return PREFIX;
  return SPACELESS.test(wanted) && word.includes(wanted) ? INSIDE : 0;
}

/** Words without regard to case and accents. */
function words(text: string): string[] {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
