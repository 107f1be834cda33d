/** Search of memories by words: what `memory_recall` answers in this page. What held on a day in the past is not told. */
import type { Input, Output } from '../source/tools.ts';
import { checkDomain } from './domain.ts';
import type { Kept } from './memories.ts';
import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';
import { WordIndex } from './words.ts';

type Asked = Input<'memory_recall'>;

const LIMIT = 10;
const EVERYWHERE = '*';
/** Signals that there are none of without a database. */
const SILENT = { vector_score: 0, ppr_score: 0 };

export class MemorySearch {
  readonly #memory: Memory;
  readonly #kept: readonly Kept[];
  readonly #words = new WordIndex();

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#kept = [...memory.memories.keptOf.values()];
    for (const { row, more } of this.#kept) this.#words.add([row.content, row.subject, more.summary, more.path, ...row.tags].join(' '));
  }

  ask(asked: Asked): Output<'memory_recall'> {
    const { query, limit = LIMIT, domain, as_of } = asked;
    if (as_of !== undefined) throw refusal('invalid_argument', 'This page cannot tell what held at a moment in the past');
    checkDomain(this.#memory, domain === EVERYWHERE ? undefined : domain);
    const scores = query === undefined ? undefined : this.#words.ask(query).ofText;
    const best = Math.max(...(scores?.values() ?? []), Number.MIN_VALUE);
    const found = this.#kept
      .flatMap((kept, number) => {
        const words = scores === undefined ? best : (scores.get(number) ?? 0);
        return words === 0 || !fits(kept, asked) ? [] : [{ kept, words, score: (words / best) * kept.row.effective_confidence * Math.sqrt(Math.max(0, kept.row.importance)) }];
      })
      .sort((a, b) => b.score - a.score || (a.kept.row.id < b.kept.row.id ? -1 : 1));
    return {
      memories: found.slice(0, limit).map(({ kept: { row, more }, words, score }) => ({
        ...row,
        ...more,
        ...SILENT,
        score,
        bm25_score: query === undefined ? 0 : words,
        ...(query !== undefined && {
          explanation: { relevance: 0, words_share: words / best, graph_share: 0, confidence: row.effective_confidence, importance: Math.sqrt(Math.max(0, row.importance)), freshness: 1, backing: 1 },
        }),
      })),
      query,
      mode: query === undefined ? 'standing' : 'lexical',
      pending_embeddings: 0,
    };
  }
}

function fits({ row }: Kept, { category, user_id: user, domain = EVERYWHERE, include_expired: withPast = false, include_contradicted: withLost = false }: Asked): boolean {
  if (row.status === 'contradicted' ? !withLost : row.status !== 'current' && !withPast) return false;
  return (category === undefined || row.category === category) && (user === undefined || row.user_id === user) && (domain === EVERYWHERE || row.domain === domain);
}
