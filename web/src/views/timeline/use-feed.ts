import { useEffect, useMemo, useRef } from 'react';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { Input } from '../../source/tools.ts';
import { Feed } from './feed.ts';

const EVENTS_PER_CALL = 200;

/** The events of a query. They are fetched again when the data has changed. */
export function useFeed(query: Input<'explore_events'>): Feed {
  const source = useSource();
  const key = JSON.stringify(query);
  const feed = useMemo(() => {
    const asked = JSON.parse(key) as Input<'explore_events'>;
    return new Feed((cursor) => source.call('explore_events', { ...asked, cursor, limit: EVENTS_PER_CALL }));
  }, [source, key]);
  useStore(feed.changes);
  const revision = useStore(source.revision);
  const seen = useRef({ feed, revision });
  useEffect(() => {
    if (seen.current.feed === feed && seen.current.revision !== revision) void feed.renew();
    else void feed.more();
    seen.current = { feed, revision };
  }, [feed, revision]);

  const last = useRef(feed);
  const isThere = feed.events !== undefined || feed.error !== undefined;
  useEffect(() => {
    if (isThere) last.current = feed;
  }, [feed, isThere]);
  return isThere ? feed : last.current;
}
