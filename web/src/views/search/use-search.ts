import { useEffect, useRef, useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { keepSearch, keptSearch } from '../../source/kept-searches.ts';
import type { Input, Output } from '../../source/tools.ts';
import { type ToolState, useTool } from '../../source/use-tool.ts';

type Query = Input<'search_semantic'>;
type Answer = Output<'search_semantic'>;

/** The former answer that is shown, of the history entry that Back or Forward has led to. */
interface Former {
  readonly id: number | undefined;
  readonly answer: Answer | undefined;
}

const NONE: Former = { id: undefined, answer: undefined };

/**
 * Searches, which records accesses. Back and Forward show the former answer: only an explicit action searches again.
 *
 * @param asked the number of times that the user has submitted the same query again.
 */
export function useSearch(query: Query | undefined, asked: number): ToolState<Answer> {
  const { route } = useRoute();
  const key = query === undefined ? '' : JSON.stringify(query);
  const [shown, setShown] = useState(() => ({ key, asked, former: formerOf(key) }));
  if (shown.key !== key) setShown({ key, asked, former: formerOf(key) });
  else if (shown.asked !== asked) setShown({ key, asked, former: NONE });
  const former = shown.key === key ? shown.former : NONE;
  const isKnown = former.answer !== undefined;
  const state = useTool('search_semantic', isKnown ? undefined : query, { reloadsOnChange: false });
  const { data, error, isLoading, reload } = state;
  const last = useRef({ asked, isKnown });
  useEffect(() => {
    // Without the former answer, the search runs anyway.
    if (last.current.asked !== asked && !last.current.isKnown) reload();
    last.current = { asked, isKnown };
  }, [asked, isKnown, reload]);
  const id = useRef(former.id);
  useEffect(() => {
    if (former.id !== undefined) id.current = former.id;
    else if (data === undefined || isLoading || error !== undefined) id.current = undefined;
    else id.current = keepSearch(key, data);
  }, [key, former, data, error, isLoading]);
  // Each history entry that shows the answer names it.
  useEffect(() => {
    if (keptSearch(id.current, key) !== undefined)
      history.replaceState({ ...(history.state as object | null), search: id.current }, '');
  }, [route, key, former, data, error, isLoading]);
  return isKnown ? { ...state, data: former.answer } : state;
}

/** The answer that the current history entry names; none if the user has just come to it by a link or a form. */
function formerOf(key: string): Former {
  const { search: id } = (history.state ?? {}) as { readonly search?: number };
  const answer = keptSearch(id, key);
  return answer === undefined ? NONE : { id, answer };
}
