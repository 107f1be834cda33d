/** Spans of time, in milliseconds since 1970, from inclusive and to exclusive; days and hours are those of UTC. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The unit of a window in a range, so that its ends are round times. */
export function unitOf({ from, to }: Span): number {
  const length = to - from;
  if (length > 6 * DAY) return DAY;
  return length > 6 * HOUR ? HOUR : MINUTE;
}

/** Moves a span; at an end of the range it stops and keeps its length. */
export function moved(span: Span, by: number, range: Span): Span {
  const length = Math.min(span.to - span.from, range.to - range.from);
  const from = clamp(span.from + by, range.from, range.to - length);
  return { from, to: from + length };
}

/** Moves one end of a span, which keeps at least the length of a unit. */
export function resized(span: Span, end: 'from' | 'to', by: number, range: Span, min: number): Span {
  if (end === 'from') return { ...span, from: clamp(span.from + by, range.from, span.to - min) };
  return { ...span, to: clamp(span.to + by, span.from + min, Math.max(range.to, span.from + min)) };
}

/** The span between two times, in either order, with whole units at its ends. */
export function between(a: number, b: number, range: Span, unit: number): Span {
  const from = Math.floor(clamp(Math.min(a, b), range.from, range.to) / unit) * unit;
  const to = Math.ceil(clamp(Math.max(a, b), range.from, range.to) / unit) * unit;
  return { from, to: Math.max(to, from + unit) };
}

/** The time at a position in the chart, 0 to 1. */
export function timeAt(share: number, { from, to }: Span): number {
  return from + clamp(share, 0, 1) * (to - from);
}

/** The position of a time in a range, 0 to 1. */
export function shareOf(time: number, { from, to }: Span): number {
  return to === from ? 0 : clamp((time - from) / (to - from), 0, 1);
}

/** Formats a time for tools and addresses: a day, or a second in UTC. */
export function formatTime(millis: number): string {
  const text = new Date(millis).toISOString();
  return millis % DAY === 0 ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text);
  const millis = Date.parse(text.length > 10 && !hasZone ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(millis) ? undefined : millis;
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
