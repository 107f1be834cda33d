/** A clock that also runs while the machine is suspended; `performance.now` does not on Linux. */
import { uptime } from 'node:os';

/** The clocks of the machine, in milliseconds. */
export interface Clocks {
  /** A clock that may stop while the machine is suspended. */
  readonly now: () => number;
  /** The time of day, which is ahead after a suspension, and which anyone may set. */
  readonly timeOfDay: () => number;
  /** The time since the machine was started, with suspensions. */
  readonly uptime: () => number;
}

const SYSTEM: Clocks = {
  now: () => performance.now(),
  timeOfDay: () => Date.now(),
  uptime: () => uptime() * 1000,
};

/**
 * Unless the machine was suspended, the uptime and this process's clock differ by less than this. Node has the uptime
 * in whole seconds on macOS. A shorter suspension is not noticed.
 */
const COARSE_MILLIS = 1500;

/** The time of day differs by less than this between two readings of the uptime: it may be adjusted slowly. */
const ADJUSTED_MILLIS = 100;

/**
 * How long the uptime is relied on while the time of day shows no suspension. To read it takes as long as to write a
 * page of a database, because Node reads a file, and the core asks for the time with each page.
 */
const RELIED_ON_MILLIS = 50;

/**
 * Creates a clock in milliseconds.
 *
 * A suspension is noticed at once, because the time of day is ahead after it; if that was also set back by as much,
 * 50 milliseconds later.
 */
export function clockThroughSuspensions({ now, timeOfDay, uptime }: Clocks = SYSTEM): () => number {
  let readMillis = now();
  /** How far the uptime, and the time of day, were ahead of the clock. */
  let uptimeAhead = uptime() - readMillis;
  let dayAhead = timeOfDay() - readMillis;
  let suspendedMillis = 0;
  return () => {
    const millis = now();
    const day = timeOfDay() - millis;
    if (Math.abs(day - dayAhead) < ADJUSTED_MILLIS && millis - readMillis < RELIED_ON_MILLIS) {
      return millis + suspendedMillis;
    }
    readMillis = millis;
    dayAhead = day;
    const difference = uptime() - millis - uptimeAhead;
    // The uptime has a coarse resolution: it only shows whether the machine was suspended.
    if (difference > COARSE_MILLIS) suspendedMillis += difference;
    if (Math.abs(difference) > COARSE_MILLIS) uptimeAhead += difference;
    return millis + suspendedMillis;
  };
}
