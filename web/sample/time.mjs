// Days of the sample become instants within working hours. The same text gives the same instant on every machine.
import { createHash } from 'node:crypto';

/** All of the sample happens in this year. */
export const YEAR = 2026;

const OPENS_MINUTE = 6 * 60 + 40;
const OPEN_MINUTES = 9 * 60;

/** `MM-DD` or `MM-DD HH:MM` as `YYYY-MM-DD HH:MM:SS`; without a time, one between 6:40 and 15:40 UTC. */
export function instant(at, seed) {
  const [day, clock] = at.split(' ');
  const number = hash(seed);
  const minute = OPENS_MINUTE + (number % OPEN_MINUTES);
  const seconds = pad((number >>> 10) % 60);
  return `${YEAR}-${day} ${clock ?? `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`}:${seconds}`;
}

/** The time at which the session of a day stored its records; with a time of day, a separate session. */
export function sessionAt(at) {
  return instant(at, at);
}

/** Half a minute to four minutes after an instant. */
export function tick(after, seed) {
  const later = new Date(`${after.replace(' ', 'T')}Z`);
  later.setUTCSeconds(later.getUTCSeconds() + 30 + (hash(seed) % 210));
  return later.toISOString().slice(0, 19).replace('T', ' ');
}

/** Whether a day is a Saturday or a Sunday. */
export function isWeekend(at) {
  return [0, 6].includes(new Date(`${YEAR}-${at.slice(0, 5)}T12:00:00Z`).getUTCDay());
}

/** Whether a day exists. */
export function isDay(at) {
  const time = new Date(`${YEAR}-${at.slice(0, 5)}T12:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(5, 10) === at.slice(0, 5);
}

/** The first 32 bits of the SHA-256 of a text. */
function hash(text) {
  return createHash('sha256').update(text).digest().readUInt32LE();
}

function pad(number) {
  return String(number).padStart(2, '0');
}
