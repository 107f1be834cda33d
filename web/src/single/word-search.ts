/** Search by words: BM25 over current observations, names and types. What `search_semantic` answers in this page. */
import type { EntityRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';
import { WordIndex } from './words.ts';

type Asked = Input<'search_semantic'>;
type Answer = Output<'search_semantic'>;

const LIMIT = 10;
const SHOWN_MAX = 5;
/** The name may hold a word, and an observation too. */
const BOTH = 2;

interface Text {
  readonly entity: EntityRow;
  /** Nothing for the text of name and type. */
  readonly content: string | undefined;
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
  readonly #words = new WordIndex();

  constructor(memory: Memory) {
    this.#memory = memory;
    for (const entity of memory.entities) {
      this.#add(entity, `${entity.name} ${entity.entityType}`, undefined);
      for (const { content, superseded_at } of memory.observationsOf.get(entity.name) ?? []) {
        if (superseded_at === undefined) this.#add(entity, content, content);
      }
    }
  }

  ask({ query, limit = LIMIT, entity_type: type, status }: Asked): Answer {
    const scores = new Map<EntityRow, Score>();
    const { ofText, most: mostOfText } = this.#words.ask(query);
    const most = mostOfText * BOTH;
    for (const [number, score] of ofText) {
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
    this.#texts[this.#words.add(text)] = { entity, content };
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
