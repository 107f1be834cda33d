import { DAY, type Span } from './span.ts';

export interface Tick {
  readonly time: number;
  readonly label: string;
}

const HOUR = DAY / 24;
const STEPS = [
  HOUR / 60,
  HOUR / 12,
  HOUR / 4,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  14 * DAY,
];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
/** The shortest month, so that ticks of months are never too close. */
const MIN_MONTH = 28 * DAY;

/** Round times in UTC within a range, at most `maxCount`. */
export function ticks(range: Span, maxCount: number): Tick[] {
  const room = (range.to - range.from) / Math.max(1, maxCount);
  const step = STEPS.find((length) => length >= room);
  return step === undefined ? monthTicks(range, room) : evenTicks(range, step);
}

function evenTicks({ from, to }: Span, step: number): Tick[] {
  const found: Tick[] = [];
  const format = new Intl.DateTimeFormat(
    'en-GB',
    step < DAY
      ? { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  );
  const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  for (let time = Math.ceil(from / step) * step; time < to; time += step) {
    found.push({ time, label: (time % DAY === 0 ? dayFormat : format).format(time) });
  }
  return found;
}

function monthTicks({ from, to }: Span, room: number): Tick[] {
  const step = MONTH_STEPS.find((months) => months * MIN_MONTH >= room) ?? 120;
  const format = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
  const start = new Date(from);
  const found: Tick[] = [];
  for (let month = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step; ; month += step) {
    const time = Date.UTC(Math.floor(month / 12), month % 12);
    if (time >= to) return found;
    if (time >= from) found.push({ time, label: month % 12 === 0 ? String(month / 12) : format.format(time) });
  }
}
