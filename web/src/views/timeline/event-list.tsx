import { useMemo } from 'react';
import { Collection, ListBox, ListBoxItem, ListBoxLoadMoreItem, ListLayout, Virtualizer } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { shownTheme } from '../../app/theme.ts';
import { day, fullTime, millisOf } from '../../components/format.ts';
import { colorAt } from '../../components/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './event-list.module.css';
import type { Feed } from './feed.ts';
import { type EventRow, phrase, rowsOf, subjectOf } from './phrase.ts';
import { SERIES } from './series.ts';

const ROW_HEIGHT = 30;

/** The events, newest first. Enter shows the entity or the memory concerned. */
export function EventList({ feed }: { readonly feed: Feed }) {
  const { go } = useRoute();
  const rows = useMemo(() => rowsOf(feed.events ?? [], day), [feed.events]);
  const open = (key: string): void => {
    const event = rows.find((row) => row.key === key)?.event;
    const selection = event === undefined ? undefined : subjectOf(event);
    if (selection !== undefined) go({ selection });
  };
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: ROW_HEIGHT, loaderHeight: ROW_HEIGHT }}>
      <ListBox className={styles.list} aria-label="Events" selectionMode="none" onAction={(key) => open(String(key))}>
        <Collection items={rows.map((row) => ({ ...row, id: row.key }))}>{(row) => <EventItem row={row} />}</Collection>
        <ListBoxLoadMoreItem className={styles.more} isLoading={feed.hasMore} onLoadMore={() => void feed.more()}>
          Earlier events…
        </ListBoxLoadMoreItem>
      </ListBox>
    </Virtualizer>
  );
}

function EventItem({ row: { key, event, day: dayShown } }: { readonly row: EventRow }) {
  const shown = useStore(shownTheme);
  const index = SERIES.findIndex(({ event: kind }) => kind === event.kind);
  const series = SERIES[index];
  const Icon = series?.icon;
  const { subject, text, isPast } = phrase(event);
  return (
    <ListBoxItem
      id={key}
      textValue={`${subject ?? ''} ${text}`}
      className={styles.item}
      data-opens={subjectOf(event) !== undefined || undefined}
    >
      <span className={styles.label}>
        <span className={styles.day}>{dayShown}</span>
        <span className={styles.time} title={fullTime(event.at)}>
          {event.kind === 'access' ? '' : clock(event.at)}
        </span>
        {Icon !== undefined && <Icon size={14} color={colorAt(index, shown)} aria-hidden />}
        <span className={styles.kind}>{series?.one ?? event.kind}</span>
        <span className={styles.text}>
          {subject !== undefined && (
            <strong className={styles.subject} dir="auto">
              {subject}
            </strong>
          )}
          <span className={styles.rest} dir="auto" data-past={isPast || undefined}>
            {text}
          </span>
        </span>
      </span>
    </ListBoxItem>
  );
}

function clock(at: string): string {
  return new Date(millisOf(at)).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
