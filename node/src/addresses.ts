/**
 * What looks like the address of a database server, and is none that Limbic takes. It may contain a password, so it is
 * never taken for a path, which messages and names of files would repeat. The native server has the same rule in
 * `crates/limbic-memory/src/addresses.rs`; both are tested with `tests/files/addresses.json`.
 */

/** The error for such a text, after the name of the option or variable that has it. */
export const NEITHER =
  'is neither a path nor the address of a memory in PostgreSQL: an address begins with postgres://, without quotation marks or anything else before it, and a path with a colon and @ begins with / or ./';

/** Characters that addresses write with a percent sign where they stand in another one. */
const ENCODED: readonly (readonly [encoded: RegExp, letter: string])[] = [
  [/%3a/g, ':'],
  [/%2f/g, '/'],
  [/%40/g, '@'],
  [/%3d/g, '='],
];

/** `://` after two letters or more, other than the letter of a drive. */
const SCHEME = /[a-z0-9+.-]{2}:\/\//;

/**
 * A folder, a drive, or a variable in the place of a folder. Addresses and connection strings do not begin so: such a
 * path may contain anything, also `password=`.
 */
const PATH = /^(?:\/(?!\/)|\\|\.{1,2}[/\\]|~[/\\]|[a-z]:[/\\]|[$%][\w(){}$%]*[/\\])/;

/** A password, or the beginning of a connection string. */
const SETTING =
  /(?:password|passwd|pwd)\s*=|^(?:host(?:addr)?|port|user|dbname|password|service)\s*=|^postgres(?:ql)?:/;

/**
 * Whether a text looks like an address: it has `://` after a word, or does not begin as paths do and has both a colon
 * and `@`, a password, or the beginning of a connection string.
 */
export function isLikeAddress(given: string): boolean {
  const decoded = ENCODED.reduce(
    (text, [encoded, letter]) => text.replace(encoded, letter),
    given.trim().toLowerCase(),
  );
  // Variables of PowerShell and VS Code.
  const text = decoded.replace(/\$(\{?)env:/g, '$$$1').replace(/^["']+/, '');
  if (SCHEME.test(text)) return true;
  return !PATH.test(text) && ((text.includes(':') && text.includes('@')) || SETTING.test(text));
}

/** A path or an argument as messages show it. */
export function shown(text: string): string {
  return isLikeAddress(text) ? '(an address, which is not shown)' : text;
}
