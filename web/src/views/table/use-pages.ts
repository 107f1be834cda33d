import { useEffect, useMemo, useRef } from 'react';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { Answer, Input } from '../../source/tools.ts';
import type { Row } from './record-kind.ts';
import { PAGE_ROWS, Pages } from './pages.ts';

/**
 * The pages of a query. The previous pages stay until the first new one arrives. Pages are fetched again when the data
 * has changed.
 */
export function usePages(query: Input<'explore_records'>): Pages<Row> {
  const source = useSource();
  const key = JSON.stringify(query);
  const pages = useMemo(() => {
    const asked = JSON.parse(key) as Input<'explore_records'>;
    return new Pages<Row>(
      (offset, limit) =>
        source.call('explore_records', { ...asked, offset, limit }) as Promise<Answer<{ rows: Row[]; total: number }>>,
    );
  }, [source, key]);
  useStore(pages.changes);
  const revision = useStore(source.revision);
  const seen = useRef({ pages, revision });
  useEffect(() => {
    if (seen.current.pages === pages && seen.current.revision !== revision) pages.renew();
    else pages.see(0, PAGE_ROWS - 1);
    seen.current = { pages, revision };
  }, [pages, revision]);

  const last = useRef(pages);
  const isThere = pages.total !== undefined || pages.error !== undefined;
  useEffect(() => {
    if (isThere) last.current = pages;
  }, [pages, isThere]);
  return isThere ? pages : last.current;
}
