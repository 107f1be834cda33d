import { useCallback, useEffect, useState } from 'react';
import { useSource, useStore } from './source-context.tsx';
import type { Input, Output, ToolError, ToolName } from './tools.ts';

/** The state of a tool call. The previous answer stays until the next one arrives, also if a repeated call fails. */
export interface ToolState<T> {
  readonly data: T | undefined;
  readonly error: ToolError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface CachedAnswer<T> {
  /** The arguments of the last call that was answered. */
  readonly key: string;
  /** The arguments of the call that `data` answers. */
  readonly dataKey: string;
  readonly data: T | undefined;
  readonly error: ToolError | undefined;
}

interface Options {
  /** Whether to repeat the call when the data has changed; not for tools that record accesses. */
  readonly reloadsOnChange?: boolean;
}

/** Calls a read-only tool, and again when the data has changed. Arguments of `undefined` make no call. */
export function useTool<T extends ToolName>(
  tool: T,
  args: Input<T> | undefined,
  options: Options = {},
): ToolState<Output<T>> {
  const source = useSource();
  const revision = useStore(source.revision);
  const [asked, setAsked] = useState(0);
  const [cached, setKept] = useState<CachedAnswer<Output<T>>>({
    key: '',
    dataKey: '',
    data: undefined,
    error: undefined,
  });
  const key = args === undefined ? '' : `${tool} ${JSON.stringify(args)}`;
  const follow = options.reloadsOnChange === false ? 0 : revision;

  useEffect(() => {
    if (key === '') return;
    let isCurrent = true;
    void source.call(tool, JSON.parse(key.slice(tool.length + 1)) as Input<T>).then((answer) => {
      if (!isCurrent) return;
      setKept((before) =>
        answer.ok
          ? { key, dataKey: key, data: answer.value, error: undefined }
          : { ...before, key, data: before.dataKey === key ? before.data : undefined, error: answer.error },
      );
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
