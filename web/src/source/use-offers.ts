import { useContext, useEffect, useState } from 'react';
import { PAGE_CODE_TOOLS } from './page-code.ts';
import { SourceContext } from './source-context.tsx';
import type { ToolName } from './tools.ts';

/**
 * Whether a server offers a tool, or the page answers it from source code that it indexes itself; `undefined` until
 * that is known, and before there is a source. Only servers are asked: a tool that the browser's core has, every page
 * has.
 */
export function useOffers(tool: ToolName | undefined): boolean | undefined {
  const source = useContext(SourceContext);
  const [offered, setOffered] = useState<boolean>();
  useEffect(() => {
    if (tool === undefined || source === undefined) return undefined;
    if (source.kind !== 'server') {
      setOffered(source.code !== undefined && PAGE_CODE_TOOLS.has(tool));
      return undefined;
    }
    let isCurrent = true;
    const ask = (): void => {
      if (source.status.get().connection !== 'ready') return;
      void source.tools().then(
        (tools) => {
          if (isCurrent) setOffered(tools.some(({ name }) => name === tool));
        },
        // The connection was lost; the next one asks again.
        () => {},
      );
    };
    ask();
    const unsubscribe = source.status.subscribe(ask);
    return () => {
      isCurrent = false;
      unsubscribe();
    };
  }, [source, tool]);
  return offered;
}
