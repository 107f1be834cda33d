/** Formats numbers and times for display. */

const BYTES_PER_KILOBYTE = 1000;
const BYTES_PER_MEGABYTE = 1_000_000;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;
const DAYS_PER_YEAR = 365;

export function megabytes(bytes: number): string {
  return `${(bytes / BYTES_PER_MEGABYTE).toFixed(bytes < BYTES_PER_MEGABYTE * 10 ? 1 : 0)} MB`;
}

/** A size with three digits or fewer before the unit. */
export function bytesText(bytes: number): string {
  if (bytes < BYTES_PER_KILOBYTE) return `${bytes} B`;
  return bytes < BYTES_PER_MEGABYTE ? `${(bytes / BYTES_PER_KILOBYTE).toFixed(1)} kB` : megabytes(bytes);
}

/** `1 relation`, `2 relations`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** The start of a text, at most so many UTF-16 code units, without half a surrogate pair at its end. */
export function startOf(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength);
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}

/** A share of one as a whole percentage. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A stored time, `YYYY-MM-DD HH:MM:SS` in UTC or ISO 8601. */
export function millisOf(stored: string): number {
  return Date.parse(stored.includes('T') ? stored : `${stored.replace(' ', 'T')}Z`);
}

/** How long ago, in one word where possible. */
export function ago(stored: string, nowMillis: number): string {
  const seconds = Math.max(0, (nowMillis - millisOf(stored)) / 1000);
  if (Number.isNaN(seconds)) return stored;
  if (seconds < SECONDS_PER_MINUTE) return 'just now';
  if (seconds < SECONDS_PER_HOUR) return `${Math.floor(seconds / SECONDS_PER_MINUTE)} min ago`;
  if (seconds < SECONDS_PER_DAY) return `${Math.floor(seconds / SECONDS_PER_HOUR)} h ago`;
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  if (days === 1) return 'yesterday';
  if (days < DAYS_PER_YEAR) return `${days} days ago`;
  return day(stored);
}

/** A day without a time, which has no time zone. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day of a stored time, in the reader's time zone; a stored day as it is. */
export function day(stored: string): string {
  const millis = millisOf(stored);
  return Number.isNaN(millis)
    ? stored
    : new Date(millis).toLocaleDateString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        ...(DAY.test(stored) && { timeZone: 'UTC' }),
      });
}

/** A stored time in full, in the reader's time zone. */
export function fullTime(stored: string): string {
  const millis = millisOf(stored);
  return Number.isNaN(millis)
    ? stored
    : new Date(millis).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
