import { useEffect, useRef, useState } from 'react';
import type { Input, Output } from '../../source/tools.ts';
import { type ToolState, useTool } from '../../source/use-tool.ts';

type Query = Input<'search_semantic'>;
type Answer = Output<'search_semantic'>;

/** Maximum number of answers that are kept. */
const MAX_KEPT = 50;
/** The answers of this page by query, the latest last. */
const kept = new Map<string, Answer>();

/** Forgets the answers to a question that the user asks again. */
export function forgetAnswers(question: string): void {
  for (const key of [...kept.keys()]) if ((JSON.parse(key) as Query).query === question) kept.delete(key);
}

/**
 * Searches, which records accesses. A query that this page has asked before, as after Back, shows its former answer:
 * only an explicit action searches again.
 *
 * @param asked the number of times that the user has submitted the same query again.
 */
export function useSearch(query: Query | undefined, asked: number): ToolState<Answer> {
  const key = query === undefined ? '' : JSON.stringify(query);
  const [shown, setShown] = useState({ key, asked, former: kept.get(key) });
  if (shown.key !== key) setShown({ key, asked, former: kept.get(key) });
  else if (shown.asked !== asked) setShown({ key, asked, former: undefined });
  const former = shown.key === key ? shown.former : undefined;
  const isKnown = former !== undefined;
  const state = useTool('search_semantic', isKnown ? undefined : query, { reloadsOnChange: false });
  const { data, error, isLoading, reload } = state;
  const last = useRef({ asked, isKnown });
  useEffect(() => {
    // Without the former answer, the search runs anyway.
    if (last.current.asked !== asked && !last.current.isKnown) reload();
    last.current = { asked, isKnown };
  }, [asked, isKnown, reload]);
  useEffect(() => {
    if (data === undefined || isLoading || error !== undefined) return;
    kept.delete(key);
    kept.set(key, data);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }, [key, data, error, isLoading]);
  return isKnown ? { ...state, data: former } : state;
}
