/** The options of `limbic-memory key`. */
import { DATABASE, HELP, acceptsSharedDisk, optionList, type Option, readArguments, readDatabase } from './options.ts';
import { UsageError } from './usage.ts';

const ACTIONS = ['encrypt', 'rotate', 'export'] as const;

/** The kind of the new key: that of the present one, one that is derived from a passphrase, or a random one. */
export type NewKey = 'same' | 'passphrase' | 'random';

/** The database, and what to do. */
export interface KeyOptions {
  readonly db: string;
  readonly action: (typeof ACTIONS)[number];
  readonly newKey: NewKey;
  readonly acceptsSharedDisk: boolean;
}

const KEY_OPTIONS: readonly Option[] = [
  DATABASE,
  { name: 'passphrase', text: 'encrypt and rotate: derive the key from a passphrase' },
  { name: 'random-key', text: 'rotate: a random key in LIMBIC_KEY_FILE or the keychain, in place of the passphrase' },
  HELP,
];

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
  if (action === undefined)
    throw new UsageError(`the action of key must be one of ${ACTIONS.join(', ')}, but got "${word}"`);
  const given = readArguments(rest, KEY_OPTIONS);
  if (given.has('help')) return undefined;
  const [passphrase, random] = [given.has('passphrase'), given.has('random-key')];
  if (passphrase && random) throw new UsageError('--passphrase and --random-key cannot be combined: give one of them');
  if ((random && action !== 'rotate') || (passphrase && action === 'export')) {
    throw new UsageError(`key ${action} does not take --${random ? 'random-key' : 'passphrase'}`);
  }
  const newKey = passphrase ? 'passphrase' : random ? 'random' : 'same';
  return { db: readDatabase(given, env), action, newKey, acceptsSharedDisk: acceptsSharedDisk(env) };
}

/** Returns the output of `key --help`. */
export function keyHelpText(): string {
  return `Usage: limbic-memory key encrypt|rotate|export [--passphrase|--random-key] [--db PATH]

encrypt  encrypts a database, by a copy that replaces it, or creates an encrypted one
rotate   encrypts the database with a new key: random, or from a new passphrase if it has one
export   shows the recovery phrase, which opens the database as LIMBIC_KEY

The key is in LIMBIC_KEY (64 hexadecimal digits, Base64 of 32 bytes, or a recovery phrase), in the
file LIMBIC_KEY_FILE, which its owner alone may read, or else in the keychain of the system: that of
macOS, with secret-tool, or DPAPI on Windows. encrypt creates a random key in the file or the
keychain if there is none. Or the key is derived from a passphrase (Argon2id): that in
LIMBIC_PASSPHRASE, the content of the file LIMBIC_PASSPHRASE_FILE, or one entered at the terminal;
rotate takes the new one from LIMBIC_NEW_PASSPHRASE, LIMBIC_NEW_PASSPHRASE_FILE or the terminal. The
recovery phrase is printed to standard output. While the database is encrypted, no other program can
use it; afterwards running servers need the key. The file has the format of SQLCipher 4. Needs about
four times as much memory as the database is large.

Options:
${optionList(KEY_OPTIONS)}
`;
}
