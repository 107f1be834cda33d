/** Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, or the keychain of the system. */
import { closeSync, openSync, readSync } from 'node:fs';
import { createKeyFile, NEXT, type PhraseOf, promoteKeyFile, readKeyFile, removeKeyFile } from './key-file.ts';
import * as keychain from './keychain.ts';
import { expandPath, realPath } from './paths.ts';
import { UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The start of a database that is not encrypted. */
const PLAIN = Buffer.from('SQLite format 3\0');
/** The start of the account of a next key in the keychain, before that of its database: no path starts like this. */
const NEXT_ACCOUNT = 'next:';

/** Where keys are kept, as text in a form that the core reads. */
export interface KeySource {
  /** The key of the database; `undefined` if there is none yet. */
  read(): string | undefined;
  /** The key that a rotation has stored for the database, and that is not the present one yet. */
  next(): string | undefined;
  /** Where {@link KeySource.next} is, for a person. */
  readonly nextPlace: string;
  /** Stores a key, so that {@link KeySource.read} finds it. A key file must not exist. */
  store(key: string): void;
  /** Stores the next key beside the present one. There must be none. */
  storeNext(key: string): void;
  /** Removes the next key, which must be the present one as well. */
  discardNext(): void;
  /**
   * Makes the next key, which must have this phrase, the present one. Returns the file with the former key, which copies
   * of the database and other databases may need.
   */
  promote(phrase: string, phraseOf: PhraseOf): string | undefined;
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

/** The key file that the environment selects. */
export function keyFileOfEnvironment(env: Env = process.env): string | undefined {
  const path = env['LIMBIC_KEY_FILE'];
  try {
    return path === undefined || path === '' ? undefined : expandPath(path, 'LIMBIC_KEY_FILE');
  } catch {
    // What needs the key reports the reason.
    return undefined;
  }
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
  return {
    read: () => text,
    next: () => undefined,
    nextPlace: 'LIMBIC_KEY',
    store: refuse,
    storeNext: refuse,
    discardNext: () => {},
    promote: refuse,
  };
}

function inFile(path: string): KeySource {
  const nextPlace = `${path}${NEXT}`;
  return {
    read: () => readKeyFile(path),
    next: () => readKeyFile(nextPlace),
    nextPlace,
    store: (key) => createKeyFile(path, key, path),
    storeNext: (key) => createKeyFile(nextPlace, key, path),
    discardNext: () => removeKeyFile(nextPlace),
    promote: (phrase, phraseOf) => promoteKeyFile(path, phrase, phraseOf),
  };
}

function inKeychain(db: string): KeySource {
  // The keychain knows a database by its path without links.
  const account = realPath(db);
  const next = `${NEXT_ACCOUNT}${account}`;
  return {
    read: () => keychain.find(account),
    next: () => keychain.find(next),
    nextPlace: `the keychain as ${next}`,
    store: (key) => keychain.store(account, key),
    storeNext: (key) => keychain.store(next, key),
    discardNext: () => keychain.forget(next),
    promote(phrase) {
      keychain.store(account, phrase);
      keychain.forget(next);
      return undefined;
    },
  };
}
