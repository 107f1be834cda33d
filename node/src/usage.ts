/** An invalid command line or environment; the message states the reason. */
export class UsageError extends Error {}

const YES = ['1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

/**
 * Parses a boolean value. `otherwise` is what else is expected, such as `a port, or `.
 *
 * @throws UsageError for another word.
 */
export function isYes(name: string, value: string, otherwise = ''): boolean {
  if (NO.includes(value.toLowerCase())) return false;
  if (YES.includes(value.toLowerCase())) return true;
  throw new UsageError(`${name} must be ${otherwise}one of ${[...YES, ...NO].join(', ')}, but got "${value}"`);
}
