import { useCallback, useEffect, useState } from 'react';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { Answer, ToolError } from '../../source/tools.ts';

/** Clients come and go without an event. */
const INTERVAL_MILLIS = 5000;

interface AnswerState<T> {
  readonly data: T | undefined;
  readonly error: ToolError | undefined;
  readonly reload: () => void;
}

/** Asks the server now, when a call may have changed something, and every few seconds while the page is visible. */
export function useAnswer<T>(ask: () => Promise<Answer<T>>): AnswerState<T> {
  const revision = useStore(useSource().revision);
  const [count, setCount] = useState(0);
  const [state, setState] = useState<Pick<AnswerState<T>, 'data' | 'error'>>({ data: undefined, error: undefined });
  const reload = useCallback(() => setCount((before) => before + 1), []);
  useEffect(() => {
    let isCurrent = true;
    void ask().then((answer) => {
      if (!isCurrent) return;
      setState(({ data }) => (answer.ok ? { data: answer.value, error: undefined } : { data, error: answer.error }));
    });
    return () => {
      isCurrent = false;
    };
  }, [ask, revision, count]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, INTERVAL_MILLIS);
    return () => clearInterval(timer);
  }, [reload]);
  return { ...state, reload };
}
