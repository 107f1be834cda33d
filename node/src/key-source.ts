/** Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, or the keychain of the system. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { textOf } from 'limbic-shell/failure.ts';
import * as keychain from './keychain.ts';
import { expandPath, realPath } from './paths.ts';
import { UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The start of a database that is not encrypted. */
const PLAIN = Buffer.from('SQLite format 3\0');
const KEY_BYTES = 32;
/** Suffix of the next key, until the database has it. */
const NEXT = '.new';

/** Where keys are kept, as text in a form that the core reads. */
export interface KeySource {
  /** The key of the database; `undefined` if there is none yet. */
  read(): string | undefined;
  /** Stores a key, so that {@link KeySource.read} finds it. */
  store(key: string): void;
  /** Stores the next key beside the present one. */
  storeNext(key: string): void;
  /** Makes the next key the present one. */
  promote(key: string): void;
  /** Removes the next key. */
  discard(): void;
}

/**
 * The source that the environment selects; the keychain if it selects none.
 *
 * @throws UsageError
 */
export function keySource(db: string, env: Env): KeySource {
  const [text, path] = [env['LIMBIC_KEY'], env['LIMBIC_KEY_FILE']].map((value) => (value === '' ? undefined : value));
  if (text !== undefined && path !== undefined) {
    throw new UsageError('LIMBIC_KEY and LIMBIC_KEY_FILE cannot be combined: set one of them');
  }
  if (text !== undefined) return inVariable(text);
  return path === undefined ? inKeychain(db) : inFile(expandPath(path, 'LIMBIC_KEY_FILE'));
}

/**
 * The key with which a database is opened; `undefined` for one that is not encrypted. The keychain is asked only about a
 * file that is encrypted.
 *
 * @throws UsageError
 */
export function keyOfDatabase(db: string, env: Env = process.env): string | undefined {
  const isGiven = [env['LIMBIC_KEY'], env['LIMBIC_KEY_FILE']].some((value) => value !== undefined && value !== '');
  if (!isGiven && !seemsEncrypted(db)) return undefined;
  const key = keySource(db, env).read();
  if (key === undefined && isGiven) {
    throw new UsageError(
      `LIMBIC_KEY_FILE names a file that does not exist: ${env['LIMBIC_KEY_FILE']}. limbic-memory key encrypt creates it`,
    );
  }
  return key;
}

/** Whether a file is there that does not start as a plain database. */
export function seemsEncrypted(db: string): boolean {
  try {
    const file = openSync(db, 'r');
    try {
      const head = Buffer.alloc(PLAIN.length);
      return readSync(file, head) > 0 && !head.equals(PLAIN);
    } finally {
      closeSync(file);
    }
  } catch {
    // Opening the database reports the reason.
    return false;
  }
}

function inVariable(text: string): KeySource {
  const refuse = (): never => {
    throw new UsageError(
      'LIMBIC_KEY cannot be changed from here: keep the key in a file (LIMBIC_KEY_FILE) or in the keychain',
    );
  };
  return { read: () => text, store: refuse, storeNext: refuse, promote: refuse, discard: () => {} };
}

function inFile(path: string): KeySource {
  return {
    read: () => readKeyFile(path),
    store: (key) => writeKeyFile(path, key),
    storeNext: (key) => writeKeyFile(`${path}${NEXT}`, key),
    promote: () => renameSync(`${path}${NEXT}`, path),
    discard: () => rmSync(`${path}${NEXT}`, { force: true }),
  };
}

function inKeychain(db: string): KeySource {
  const account = realPath(db);
  const next = `${account}${NEXT}`;
  return {
    read: () => keychain.find(account),
    store: (key) => keychain.store(account, key),
    storeNext: (key) => keychain.store(next, key),
    promote(key) {
      keychain.store(account, key);
      keychain.forget(next);
    },
    discard: () => keychain.forget(next),
  };
}

function readKeyFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Windows has no modes.
    const mode = process.platform === 'win32' ? 0 : statSync(path).mode;
    if ((mode & 0o077) !== 0) {
      throw new UsageError(`LIMBIC_KEY_FILE names a file that other users may read or change: run chmod 600 '${path}'`);
    }
    const bytes = readFileSync(path);
    return bytes.length === KEY_BYTES ? bytes.toString('hex') : bytes.toString('utf8');
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(path, error);
  }
}

/** Writes a key for its owner only. An existing file is not changed. */
function writeKeyFile(path: string, key: string): void {
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, `${key}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): UsageError {
  return new UsageError(`the key file ${path} cannot be used: ${textOf(error)}`);
}
