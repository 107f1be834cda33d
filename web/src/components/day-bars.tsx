import styles from './day-bars.module.css';
import { counted, day } from './format.ts';

interface Day {
  readonly date: string;
  readonly count: number;
}

interface Props {
  readonly days: readonly Day[];
  readonly label: string;
  /** The number of days. */
  readonly span?: number;
}

const MILLIS_PER_DAY = 86_400_000;
const SPAN_DAYS = 60;
const HEIGHT = 36;
const STEP = 6;

/** A bar for each of the last days. */
export function DayBars({ days, label, span = SPAN_DAYS }: Props) {
  const end = endOf(days, span, Date.now());
  const bars = lastDays(days, span, end.millis);
  const max = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${span * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label} in the ${counted(span, 'day')} ${end.isToday ? 'until today' : `until ${end.text}`}: ${total}`}
      >
        {bars.map(({ date, count }, index) => {
          const height = count === 0 ? 1 : Math.max(3, (count / max) * HEIGHT);
          return (
            <rect
              key={date}
              x={index * STEP}
              y={HEIGHT - height}
              width={STEP - 1.5}
              height={height}
              data-empty={count === 0 || undefined}
            >
              <title>{`${day(date)}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={styles.caption}>
        <span>{end.isToday ? `${counted(span, 'day')} ago` : day(bars[0]?.date ?? '')}</span>
        <span>{end.isToday ? 'today' : end.text}</span>
      </figcaption>
    </figure>
  );
}

/**
 * The last day of the chart: today or, if the last two thirds of the chart would be empty, the last day with a count.
 */
export function endOf(
  days: readonly Day[],
  span: number,
  nowMillis: number,
): { readonly millis: number; readonly isToday: boolean; readonly text: string } {
  const last = days.reduce((latest, { date, count }) => (count > 0 && date > latest ? date : latest), '');
  const millis = Date.parse(last);
  if (Number.isNaN(millis) || nowMillis - millis < (span / 3) * MILLIS_PER_DAY)
    return { millis: nowMillis, isToday: true, text: 'today' };
  return { millis, isToday: false, text: day(last) };
}

/** One entry for each of the last days, oldest first, with zeros for missing days. */
export function lastDays(days: readonly Day[], span: number, nowMillis: number): Day[] {
  const counts = new Map(days.map(({ date, count }) => [date, count]));
  return Array.from({ length: span }, (_, index) => {
    const date = new Date(nowMillis - (span - 1 - index) * MILLIS_PER_DAY).toISOString().slice(0, 10);
    return { date, count: counts.get(date) ?? 0 };
  });
}
