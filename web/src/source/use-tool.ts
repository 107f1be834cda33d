import { useCallback, useEffect, useState } from 'react';
import { useSource, useStore } from './source-context.tsx';
import type { Input, Output, ToolError, ToolName } from './tools.ts';

/** What a view knows of an answer. The last answer stays while the next is fetched, so that nothing jumps. */
export interface ToolState<T> {
  readonly data: T | undefined;
  readonly error: ToolError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface CachedAnswer<T> {
  readonly key: string;
  readonly data: T | undefined;
  readonly error: ToolError | undefined;
}

interface Options {
  /** Whether to ask again when the data has changed. Not for tools that record use. */
  readonly reloadsOnChange?: boolean;
}

/** Asks a tool that reads, and asks again when the data has changed. Without arguments it asks nothing. */
export function useTool<T extends ToolName>(
  tool: T,
  args: Input<T> | undefined,
  options: Options = {},
): ToolState<Output<T>> {
  const source = useSource();
  const revision = useStore(source.revision);
  const [asked, setAsked] = useState(0);
  const [cached, setKept] = useState<CachedAnswer<Output<T>>>({ key: '', data: undefined, error: undefined });
  const key = args === undefined ? '' : `${tool} ${JSON.stringify(args)}`;
  const follow = options.reloadsOnChange === false ? 0 : revision;

  useEffect(() => {
    if (key === '') return;
    let isCurrent = true;
    void source.call(tool, JSON.parse(key.slice(tool.length + 1)) as Input<T>).then((answer) => {
      if (!isCurrent) return;
      setKept({ key, data: answer.ok ? answer.value : undefined, error: answer.ok ? undefined : answer.error });
    });
    return () => {
      isCurrent = false;
    };
  }, [source, tool, key, follow, asked]);

  const reload = useCallback(() => setAsked((count) => count + 1), []);
  if (key === '') return { data: undefined, error: undefined, isLoading: false, reload };
  return {
    data: cached.data,
    error: cached.key === key ? cached.error : undefined,
    isLoading: cached.key !== key,
    reload,
  };
}
