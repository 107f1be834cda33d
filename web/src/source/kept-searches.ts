/**
 * Answers of searches, which Back and Forward show again: a search records accesses. Entries of the browser's history
 * name them by number.
 */
import type { Output } from './tools.ts';

type Answer = Output<'search_semantic'>;

/** Maximum number of answers that are kept. */
const MAX_KEPT = 50;
/** The answers of this page with their queries, the latest last. */
const kept = new Map<number, { readonly query: string; readonly answer: Answer }>();
let last = 0;

/** Keeps an answer. Returns its number. */
export function keepSearch(query: string, answer: Answer): number {
  last += 1;
  kept.set(last, { query, answer });
  kept.delete(last - MAX_KEPT);
  return last;
}

/** The answer with this number, if it is kept and one to this query. */
export function keptSearch(id: number | undefined, query: string): Answer | undefined {
  const found = id === undefined ? undefined : kept.get(id);
  return found?.query === query ? found.answer : undefined;
}

/** Forgets all answers, as they may name what is no longer in the memory. */
export function forgetSearches(): void {
  kept.clear();
}
