/** An invalid command line or environment; the message states the reason. */
export class UsageError extends Error {}

const YES = ['1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

/**
 * Parses a boolean value.
 *
 * @throws UsageError for another word.
 */
export function isYes(name: string, value: string): boolean {
  if (NO.includes(value.toLowerCase())) return false;
  if (YES.includes(value.toLowerCase())) return true;
  throw new UsageError(`${name} must be one of ${[...YES, ...NO].join(', ')}, but got "${value}"`);
}
