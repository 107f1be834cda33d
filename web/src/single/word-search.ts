/** Search by words: BM25 over current observations, names and types. What `search_semantic` answers in this page. */
import type { EntityRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';

type Asked = Input<'search_semantic'>;
type Answer = Output<'search_semantic'>;

const LIMIT = 10;
const SHOWN_MAX = 5;
/** Of BM25: how soon repetition stops to count, and how much a long text is discounted. */
const K1 = 1.2;
const B = 0.75;
/** A word that only begins as the question's, and one that holds it: writing without spaces has long words. */
const PREFIX = 0.6;
const PREFIX_LENGTH_MIN = 3;
const INSIDE = 0.5;
/** The name may hold a word, and an observation too. */
const BOTH = 2;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

interface Text {
  readonly entity: EntityRow;
  /** Nothing for the text of name and type. */
  readonly content: string | undefined;
  readonly length: number;
}

interface Score {
  /** Of name and type. */
  name: number;
  /** Of the best observation. */
  best: number;
  content: string | undefined;
}

/** An index of a memory's words. */
export class WordSearch {
  readonly #memory: Memory;
  readonly #texts: Text[] = [];
  /** For each word the texts that hold it, by number, with how often. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #meanLength: number;

  constructor(memory: Memory) {
    this.#memory = memory;
    for (const entity of memory.entities) {
      this.#add(entity, `${entity.name} ${entity.entityType}`, undefined);
      for (const { content, superseded_at } of memory.observationsOf.get(entity.name) ?? []) {
        if (superseded_at === undefined) this.#add(entity, content, content);
      }
    }
    this.#meanLength = this.#texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, this.#texts.length);
  }

  ask({ query, limit = LIMIT, entity_type: type, status }: Asked): Answer {
    const scores = new Map<EntityRow, Score>();
    let most = 0;
    const textScores = new Map<number, number>();
    for (const word of new Set(words(query))) most += this.#score(word, textScores);
    for (const [number, score] of textScores) {
      const text = this.#texts[number];
      if (text === undefined) continue;
      const { entity, content } = text;
      if ((type !== undefined && entity.entityType !== type) || (status !== undefined && entity.status !== status)) continue;
      const known = scores.get(entity) ?? { name: 0, best: 0, content: undefined };
      scores.set(entity, known);
      if (content === undefined) known.name = score;
      else if (score > known.best) Object.assign(known, { best: score, content });
    }
    const found = [...scores]
      .map(([entity, { name, best, content }]) => ({ entity, score: name + best, content }))
      .sort((a, b) => b.score - a.score || a.entity.id - b.entity.id)
      .slice(0, limit);
    const results = found.map(({ entity, score, content }, index) => this.#result(entity, score, Math.min(1, score / Math.max(most, Number.MIN_VALUE)), index + 1, content));
    return { results, mode: 'lexical', pending_embeddings: 0 };
  }

  #add(entity: EntityRow, text: string, content: string | undefined): void {
    const found = words(text);
    const number = this.#texts.push({ entity, content, length: found.length }) - 1;
    for (const word of found) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      this.#places.set(word, places);
      places.set(number, (places.get(number) ?? 0) + 1);
    }
  }

  /** Adds what a word of the question gives to each text; answers the most that it can give. */
  #score(wanted: string, scores: Map<number, number>): number {
    const strengths = new Map<number, number>();
    for (const [word, places] of this.#places) {
      const likeness = likenessOf(wanted, word);
      if (likeness === 0) continue;
      for (const [number, count] of places) {
        const length = this.#texts[number]?.length ?? 0;
        const strength = (likeness * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / this.#meanLength));
        strengths.set(number, Math.max(strengths.get(number) ?? 0, strength));
      }
    }
    const rarity = Math.log(1 + (this.#texts.length - strengths.size + 0.5) / (strengths.size + 0.5));
    for (const [number, strength] of strengths) scores.set(number, (scores.get(number) ?? 0) + rarity * strength);
    return rarity * (K1 + 1) * BOTH;
  }

  #result(entity: EntityRow, score: number, relevance: number, rank: number, best: string | undefined): Answer['results'][number] {
    const current = (this.#memory.observationsOf.get(entity.name) ?? []).filter((row) => row.superseded_at === undefined);
    return {
      name: entity.name,
      entityType: entity.entityType,
      observations: current.slice(0, SHOWN_MAX).map(({ content }) => content),
      limbic_score: relevance,
      scoring: { importance: 0, temporal_factor: 1, cooc_boost: 0 },
      explanation: {
        relevance,
        baseline_rank: rank,
        vector: { share: 0 },
        late: { share: 0 },
        lexical: { value: score, share: relevance },
        best_observation: best,
      },
    };
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
