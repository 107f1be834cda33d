import { ChartColumnStacked } from 'lucide-react';
import { useId, useMemo } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { useWidth } from '../../components/use-width.ts';
import { useTool } from '../../source/use-tool.ts';
import { Brush } from './brush.tsx';
import { Chart } from './chart.tsx';
import { EventList } from './event-list.tsx';
import { Legend } from './legend.tsx';
import { SERIES, type SeriesId } from './series.ts';
import { formatTime, parseTime, type Span } from './span.ts';
import styles from './timeline-view.module.css';
import { useFeed } from './use-feed.ts';
import { WindowBar } from './window-bar.tsx';
import { hiddenParams, parseTimelineUrl, windowParams } from './timeline-url-state.ts';

const PIXELS_PER_BAR = 9;
const MAX_BARS = 240;

/** The timeline of stored, changed and accessed records. */
export function TimelineView() {
  const { route, adjust } = useRoute();
  const urlState = useMemo(() => parseTimelineUrl(route.params), [route.params]);
  const [box, width] = useWidth<HTMLDivElement>();
  const helpId = useId();
  const asked = { since: textOf(urlState.range.from), until: textOf(urlState.range.to), domain: route.domain };
  const bars = Math.min(MAX_BARS, Math.max(1, Math.floor(width / PIXELS_PER_BAR)));
  const { data, error, reload } = useTool('explore_timeline', width === 0 ? undefined : { ...asked, buckets: bars });
  const range =
    data === undefined ? undefined : rangeOf(data.buckets[0]?.start, data.buckets.length * data.bucket_seconds * 1000);
  const isZoomed = urlState.range.from !== undefined || urlState.range.to !== undefined;
  const setWindow = (window: Span | undefined): void => adjust({ params: windowParams(window) });

  if (data !== undefined && data.buckets.length === 0 && !isZoomed) {
    return (
      <Empty icon={ChartColumnStacked} title="No events yet">
        <p>Stored and changed records, searches and accesses appear here over time.</p>
      </Empty>
    );
  }
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Timeline</h1>
      <Legend
        totals={data?.totals}
        hidden={urlState.hidden}
        onHidden={(hidden) => adjust({ params: hiddenParams(hidden) })}
      />
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      <div ref={box} className={styles.chart}>
        {data !== undefined && range !== undefined && (
          <>
            <Chart
              buckets={data.buckets}
              bucketMillis={data.bucket_seconds * 1000}
              range={range}
              hidden={urlState.hidden}
              width={width}
            />
            <Brush range={range} window={urlState.window} onWindow={setWindow} helpId={helpId} />
          </>
        )}
        <p id={helpId} className="visually-hidden">
          Arrow keys move the window, Shift and arrow keys resize it, Home and End move it to the ends, Escape clears
          it. Days are in UTC.
        </p>
      </div>
      <WindowBar range={range} window={urlState.window} isZoomed={isZoomed} onWindow={setWindow} />
      <Events window={urlState.window} asked={asked} hidden={urlState.hidden} />
    </div>
  );
}

interface EventsProps {
  readonly window: Span | undefined;
  readonly asked: {
    readonly since: string | undefined;
    readonly until: string | undefined;
    readonly domain: string | undefined;
  };
  readonly hidden: ReadonlySet<SeriesId>;
}

function Events({ window, asked, hidden }: EventsProps) {
  const kinds = SERIES.filter(({ id }) => !hidden.has(id)).map(({ event }) => event);
  const feed = useFeed({
    since: textOf(window?.from) ?? asked.since,
    until: textOf(window?.to) ?? asked.until,
    domain: asked.domain,
    kinds: hidden.size === 0 || kinds.length === 0 ? undefined : kinds,
  });
  if (kinds.length === 0) return <Empty icon={ChartColumnStacked} title="No event type selected" />;
  const problem = feed.error !== undefined && <Problem problem={feed.error} onRetry={() => void feed.renew()} />;
  if (feed.events === undefined && problem !== false) return problem;
  if (feed.events === undefined) return <div className={styles.events} aria-busy />;
  if (feed.events.length === 0) {
    return (
      <div className={styles.events}>
        {problem}
        <Empty icon={ChartColumnStacked} title="No events in this period">
          <p>Select a longer period or more event types.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className={styles.events}>
      {problem}
      <EventList feed={feed} />
    </div>
  );
}

function rangeOf(start: string | undefined, length: number): Span | undefined {
  const from = parseTime(start);
  return from === undefined ? undefined : { from, to: from + length };
}

function textOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : formatTime(time);
}
