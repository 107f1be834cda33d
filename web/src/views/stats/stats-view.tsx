import { ChartColumn } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { DayBars } from '../../components/day-bars.tsx';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTool } from '../../source/use-tool.ts';
import { BarList } from './bar-list.tsx';
import { EncoderCard } from './encoder-card.tsx';
import { FileCard } from './file-card.tsx';
import { Largest } from './largest.tsx';
import { QualityCard } from './quality-card.tsx';
import { MemoryCards } from './memory-cards.tsx';
import { headline } from './stats-model.ts';
import styles from './stats-view.module.css';

const DAYS = 90;
const MAX_TABLES = 12;

/** Statistics of the memory. */
export function StatsView() {
  const { data, error, reload } = useTool('explore_stats', {});
  const schema = useTool('explore_schema', {});
  const { route, hrefOf } = useRoute();
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  if (data === undefined) return <div className={styles.view} aria-busy />;
  if (data.counts.entities + data.counts.memories + data.counts.memories_ended === 0) {
    return (
      <Empty icon={ChartColumn} title="No statistics yet">
        <p>This memory is empty.</p>
      </Empty>
    );
  }
  const tables = (schema.data?.tables ?? [])
    .map(({ name, rows }) => ({ name, count: rows ?? 0 }))
    .filter(({ count }) => count > 0);
  const inTable = (param: string) => (name: string) => hrefOf({ view: 'table', params: { [param]: name } });
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Statistics</h1>
      {route.domain !== undefined && <p className={styles.scope}>These statistics cover all domains.</p>}
      <dl className={styles.numbers}>
        {headline(data).map(({ name, count, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString('en')}</dd>
            <dd className={styles.note}>{note}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.grid}>
        <Days title="Searches per day" label="Searches" days={data.searches_per_day}>
          No searches yet.{' '}
          {data.counts.found_together > 0 &&
            'Imported data contains co-occurrences of earlier searches, not the searches themselves. '}
          <a href={hrefOf({ view: 'search' })}>Search</a> to count the first.
        </Days>
        <Days title="Accesses per day" label="Accesses" days={data.accesses_per_day}>
          No accesses yet: no search has returned a result, and no agent has opened a record.
        </Days>
        <QualityCard />
        <EncoderCard stats={data} />
        <FileCard stats={data} />
        <div className={styles.card}>
          <BarList title="Entity types" counts={data.entity_types} hrefOf={inTable('type')} />
        </div>
        <div className={styles.card}>
          <BarList title="Relation types" counts={data.relation_types} />
        </div>
        <div className={styles.card}>
          <BarList title="Statuses" counts={data.statuses} hrefOf={inTable('status')} />
          <BarList title="Kinds of observations" counts={data.observation_kinds} />
        </div>
        <div className={styles.card}>
          <BarList title="Authors of reflections" counts={data.authors} />
        </div>
        <div className={styles.card}>
          <BarList title="Rows by table" counts={[...tables].sort((a, b) => b.count - a.count)} maxBars={MAX_TABLES} />
        </div>
        <MemoryCards stats={data} />
        <Largest rows={data.largest} />
      </div>
    </div>
  );
}

interface DaysProps {
  readonly title: string;
  readonly label: string;
  readonly days: readonly { readonly date: string; readonly count: number }[];
  /** The text without any days. */
  readonly children: React.ReactNode;
}

function Days({ title, label, days, children }: DaysProps) {
  return (
    <section className={styles.card}>
      <h2>{title}</h2>
      {days.some(({ count }) => count > 0) ? (
        <DayBars days={days} label={label} span={DAYS} />
      ) : (
        <p className={styles.note}>{children}</p>
      )}
    </section>
  );
}
