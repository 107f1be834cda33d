import type { Output } from '../../source/tools.ts';

type Answered = Output<'search_semantic'>['results'][number];

/** A result with its scores, which `explain` asks for. */
export type Result = Answered & Required<Pick<Answered, 'limbic_score' | 'scoring'>>;

export function resultsOf(answer: Output<'search_semantic'>): readonly Result[] {
  return answer.results as readonly Result[];
}

/** The order of the list: relevance with use and time, or relevance only. */
export type Order = 'limbic' | 'baseline';

/** A signal's part of the bar. */
export interface Part {
  readonly signal: 'vector' | 'late' | 'lexical';
  readonly title: string;
  readonly share: number;
  readonly value: number | undefined;
}

/** A result as the list shows it. */
export interface Row {
  readonly result: Result;
  /** 1-based ranks in both orders. */
  readonly rank: number;
  readonly baselineRank: number | undefined;
  readonly relevance: number | undefined;
  readonly parts: readonly Part[];
}

/** The results in the chosen order. */
export function rowsOf(results: readonly Result[], order: Order): Row[] {
  const rows = results.map((result, index) => rowOf(result, index + 1));
  if (order === 'limbic') return rows;
  return rows.sort((a, b) => (a.baselineRank ?? a.rank) - (b.baselineRank ?? b.rank) || a.rank - b.rank);
}

function rowOf(result: Result, rank: number): Row {
  const { explanation } = result;
  if (explanation === undefined) return { result, rank, baselineRank: undefined, relevance: undefined, parts: [] };
  const { late, vector, lexical } = explanation;
  return {
    result,
    rank,
    baselineRank: explanation.baseline_rank,
    relevance: explanation.relevance,
    parts: [
      { signal: 'late', title: 'Late interaction', ...late, value: late.value },
      { signal: 'vector', title: 'Vector', ...vector, value: vector.value },
      { signal: 'lexical', title: 'Words', ...lexical, value: lexical.value },
    ],
  };
}

/** A segment of a text, with whether it matches a word of the query. */
export interface TextSegment {
  readonly text: string;
  readonly isMatch: boolean;
}

const MIN_WORD_LENGTH = 3;

/** Splits a text into segments at the words of the query. */
export function highlightSegments(text: string, question: string): TextSegment[] {
  const words = [...new Set(question.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter(
    ({ length }) => length >= MIN_WORD_LENGTH,
  );
  if (words.length === 0) return [{ text, isMatch: false }];
  // Words hold letters and digits only, so nothing in the pattern needs an escape.
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})[\\p{L}\\p{N}]*`, 'giu');
  const found: TextSegment[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), isMatch: false });
    found.push({ text: match[0], isMatch: true });
    end = match.index + match[0].length;
  }
  if (end < text.length || found.length === 0) found.push({ text: text.slice(end), isMatch: false });
  return found;
}
