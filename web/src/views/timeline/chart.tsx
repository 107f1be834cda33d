import { useId } from 'react';
import { shownTheme } from '../../app/theme.ts';
import { counted } from '../../components/format.ts';
import { colorAt } from '../../components/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './chart.module.css';
import { barsOf, type Bucket, type Lane, SERIES, type SeriesId, stacked } from './series.ts';
import { shareOf, type Span } from './span.ts';
import { ticks } from './ticks.ts';

interface Props {
  readonly buckets: readonly Bucket[];
  readonly bucketMillis: number;
  readonly range: Span;
  readonly hidden: ReadonlySet<SeriesId>;
  readonly width: number;
}

const LANES: readonly { readonly id: Lane; readonly title: string; readonly top: number; readonly height: number }[] = [
  { id: 'stored', title: 'Stored and changed', top: 22, height: 110 },
  { id: 'used', title: 'Searched and accessed', top: 158, height: 52 },
];
export const CHART_HEIGHT = 232;
const AXIS_TOP = 212;
const PIXELS_PER_TICK = 84;
/** Minimum height of a block in pixels, so that a single event is visible beside a thousand. */
const MIN_BLOCK_HEIGHT = 1.5;

/** Bars of stored and changed records, and below them of accesses. */
export function Chart({ buckets, bucketMillis, range, hidden, width }: Props) {
  const shown = useStore(shownTheme);
  const titleId = useId();
  const xOf = (time: number): number => shareOf(time, range) * width;
  const first = Date.parse(`${buckets[0]?.start.replace(' ', 'T') ?? ''}Z`);
  const step = (bucketMillis / (range.to - range.from)) * width;
  const gap = step > 4 ? 1 : 0;
  return (
    <svg className={styles.chart} width={width} height={CHART_HEIGHT} role="img" aria-labelledby={titleId}>
      <title id={titleId}>{`Stored, changed and accessed records in ${counted(buckets.length, 'bar')}`}</title>
      {ticks(range, width / PIXELS_PER_TICK).map(({ time, label }) => (
        <g key={time} aria-hidden>
          <line className={styles.line} x1={xOf(time)} x2={xOf(time)} y1={0} y2={AXIS_TOP} />
          <text className={styles.tick} x={xOf(time) + 4} y={AXIS_TOP + 14}>
            {xOf(time) < width - 40 ? label : ''}
          </text>
        </g>
      ))}
      {LANES.map(({ id, title, top, height }) => {
        const { blocks, max } = stacked(buckets, barsOf(id, hidden));
        return (
          <g key={id} aria-hidden>
            <text className={styles.lane} x={8} y={top - 7}>
              {title}
              {max > 0 && `, at most ${max.toLocaleString('en')} per bar`}
            </text>
            <line className={styles.base} x1={0} x2={width} y1={top + height + 0.5} y2={top + height + 0.5} />
            {blocks.map(({ series: name, bucket, bottom, height: share }) => {
              const pixels = Math.max(MIN_BLOCK_HEIGHT, share * height);
              return (
                <rect
                  key={`${bucket} ${name}`}
                  x={xOf(first + bucket * bucketMillis)}
                  y={Math.max(top, top + height - bottom * height - pixels)}
                  width={Math.max(1, step - gap)}
                  height={pixels}
                  fill={colorAt(
                    SERIES.findIndex(({ id: seriesId }) => seriesId === name),
                    shown,
                  )}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}
