/** An invalid command line or environment; the message states the reason. */
export class UsageError extends Error {}

/**
 * Returns a text of the command line or of the environment. Node decodes them, and puts U+FFFD in place of what is not
 * UTF-8: it would name another file, user or secret.
 *
 * @throws UsageError for a text with this character; `named` says where the text comes from.
 */
export function requireUtf8<T extends string | undefined>(text: T, named: string, advice = 'write it in UTF-8'): T {
  if (text?.includes('\u{fffd}') === true) {
    throw new UsageError(`${named} is not UTF-8, or contains the character U+FFFD: ${advice}`);
  }
  return text;
}

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
