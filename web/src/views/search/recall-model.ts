import { startOf } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';

/** The parts of a recalled memory's score. */
interface Explanation {
  readonly relevance: number;
  readonly late?: number;
  readonly words_share: number;
  readonly graph_share: number;
  readonly confidence: number;
  readonly importance: number;
  readonly freshness: number;
  readonly backing: number;
}

/** A memory in an answer of `memory_recall` with `explain`, which has every field. */
export type RecalledMemory = Output<'memory_get'>['memories'][number] & {
  readonly score: number;
  readonly vector_score: number;
  readonly bm25_score: number;
  readonly ppr_score: number;
  readonly explanation?: Explanation;
};

export function recalledMemories(answer: Output<'memory_recall'>): readonly RecalledMemory[] {
  return answer.memories as readonly RecalledMemory[];
}

/** The parts of a score's bar: names of CSS classes, and titles. */
export const SIGNALS = [
  ['vector', 'relevance'],
  ['lexical', 'words'],
  ['links', 'links'],
] as const;

/** A part of the bar. */
export interface Part {
  readonly signal: 'vector' | 'lexical' | 'links';
  readonly title: string;
  /** Its part of the score before the factors. */
  readonly share: number;
  /** Share of the bar's length, 0 to 1. */
  readonly length: number;
}

/** A factor by which the sum of the parts is multiplied. */
export interface Factor {
  readonly title: string;
  readonly value: number;
  /** The value of a full meter. */
  readonly max: number;
  readonly help: string;
}

/** The raw value of a signal. */
export interface Raw {
  readonly title: string;
  readonly text: string;
}

export interface ScoreExplanation {
  readonly parts: readonly Part[];
  readonly factors: readonly Factor[];
  readonly raw: readonly Raw[];
}

/** The score explanation of each memory; `undefined` without a question. The bars of an answer share one scale. */
export function scoreExplanations(memories: readonly RecalledMemory[]): (ScoreExplanation | undefined)[] {
  const longest = Math.max(
    1,
    ...memories.map(({ explanation: found }) =>
      found === undefined ? 0 : found.relevance + found.words_share + found.graph_share,
    ),
  );
  return memories.map((memory) => scoreExplanation(memory, longest));
}

/** Maximum factor of importance, the square root of 10. */
const MAX_IMPORTANCE = Math.sqrt(10);
const MAX_SUPPORT = 1.15;

function scoreExplanation(
  { explanation: found, vector_score, bm25_score, ppr_score }: RecalledMemory,
  longest: number,
): ScoreExplanation | undefined {
  if (found === undefined) return undefined;
  const part = (signal: Part['signal'], title: string, share: number): Part => ({
    signal,
    title,
    share,
    length: Math.max(0, share) / longest,
  });
  const raw = [
    { title: 'vector', text: vector_score === 0 ? '' : vector_score.toFixed(2) },
    { title: 'late interaction', text: found.late?.toFixed(2) ?? '' },
    { title: 'words', text: bm25_score === 0 ? '' : bm25_score.toFixed(1) },
    { title: 'PageRank', text: ppr_score === 0 ? '' : ppr_score.toFixed(3) },
  ];
  return {
    parts: [
      part('vector', 'Relevance', found.relevance),
      part('lexical', 'Words', found.words_share),
      part('links', 'Links', found.graph_share),
    ],
    factors: [
      { title: 'confidence', value: found.confidence, max: 1, help: 'Confidence after decay: 0 to 1' },
      {
        title: 'importance',
        value: found.importance,
        max: MAX_IMPORTANCE,
        help: 'Square root of its importance: 0 to 3.16',
      },
      { title: 'recency', value: found.freshness, max: 1, help: 'Recency: up to 1' },
      {
        title: 'support',
        value: found.backing,
        max: MAX_SUPPORT,
        help: 'Bonus for links that support it, and for what it refines or supersedes: 1 to 1.15',
      },
    ],
    raw: raw.filter(({ text }) => text !== ''),
  };
}

const MAX_TEXT = 700;

/** Truncates a text for a result. */
export function excerpt(content: string): string {
  const text = content.trim();
  return text.length <= MAX_TEXT ? text : `${startOf(text, MAX_TEXT)}…`;
}
