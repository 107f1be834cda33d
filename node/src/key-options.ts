/** The options of `limbic-memory key`. */
import { DATABASE, HELP, acceptsSharedDisk, optionList, type Option, readArguments, readDatabase } from './options.ts';
import { UsageError } from './usage.ts';

const ACTIONS = ['encrypt', 'rotate', 'export'] as const;

/** The database, and what to do. */
export interface KeyOptions {
  readonly db: string;
  readonly action: (typeof ACTIONS)[number];
  readonly acceptsSharedDisk: boolean;
}

const KEY_OPTIONS: readonly Option[] = [DATABASE, HELP];

/**
 * Parses the arguments of `key`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readKeyOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): KeyOptions | undefined {
  const [word, ...rest] = args;
  if (word === undefined || word === '--help') return undefined;
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined) throw new UsageError(`key takes one of ${ACTIONS.join(', ')}, but got "${word}"`);
  const given = readArguments(rest, KEY_OPTIONS);
  if (given.has('help')) return undefined;
  return { db: readDatabase(given, env), action, acceptsSharedDisk: acceptsSharedDisk(env) };
}

/** What `key --help` shows. */
export function keyHelpText(): string {
  return `Usage: limbic-memory key encrypt|rotate|export [--db PATH]

encrypt  encrypts a database, by a copy that replaces it, or creates an encrypted one
rotate   encrypts the database with a new random key
export   shows the recovery phrase, which opens the database as LIMBIC_KEY

The key is in LIMBIC_KEY (64 hexadecimal digits, Base64 of 32 bytes, or a recovery phrase), in the file LIMBIC_KEY_FILE,
which its owner alone may read, or else in the keychain of the system: that of macOS, or with secret-tool. encrypt creates
a random key in the file or the keychain if there is none. The recovery phrase is printed to standard output. While the
database is encrypted, no other program can use it; afterwards running servers need the key. The file has the format of
SQLCipher 4. Needs about four times as much memory as the database is large.

Options:
${optionList(KEY_OPTIONS)}
`;
}
