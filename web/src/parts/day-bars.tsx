import styles from './day-bars.module.css';
import { counted, day } from './format.ts';

interface Day {
  readonly date: string;
  readonly count: number;
}

interface Props {
  readonly days: readonly Day[];
  readonly label: string;
  /** How many of the last days are drawn. */
  readonly span?: number;
}

const MILLIS_PER_DAY = 86_400_000;
const SPAN_DAYS = 60;
const HEIGHT = 36;
const STEP = 6;

/** A bar for each of the last days. */
export function DayBars({ days, label, span = SPAN_DAYS }: Props) {
  const bars = lastDays(days, span, Date.now());
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure>
      <svg className={styles.bars} viewBox={`0 0 ${span * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label} in the last ${span} days: ${total}`}>
        {bars.map(({ date, count }, index) => {
          const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
          return (
            <rect key={date} x={index * STEP} y={HEIGHT - height} width={STEP - 1.5} height={height} data-empty={count === 0 || undefined}>
              <title>{`${day(date)}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={styles.caption}>
        <span>{counted(span, 'day')} ago</span>
        <span>today</span>
      </figcaption>
    </figure>
  );
}

/** One entry for each of the last days, oldest first; days without one have a count of nothing. */
export function lastDays(days: readonly Day[], span: number, nowMillis: number): Day[] {
  const counts = new Map(days.map(({ date, count }) => [date, count]));
  return Array.from({ length: span }, (_, index) => {
    const date = new Date(nowMillis - (span - 1 - index) * MILLIS_PER_DAY).toISOString().slice(0, 10);
    return { date, count: counts.get(date) ?? 0 };
  });
}
