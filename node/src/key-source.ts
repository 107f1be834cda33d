/**
 * Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, the keychain of the system, or a
 * passphrase.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { createKeyFile, NEXT, type PhraseOf, promoteKeyFile, readKeyFile, removeKeyFile } from './key-file.ts';
import { keychainOf } from './keychain.ts';
import type { Keychain } from './keychain-types.ts';
import { PASSPHRASE, passphraseOf } from './passphrase.ts';
import { expandPath, realPath } from './paths.ts';
import { requireUtf8, UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The start of a database that is not encrypted. */
const PLAIN = Buffer.from('SQLite format 3\0');
/** The start of the account of a next key in the keychain, before that of its database: no path starts like this. */
const NEXT_ACCOUNT = 'next:';
/** The start of the account of a former key, from the second on with a number. */
const FORMER_ACCOUNT = 'former:';

/** The start of a database whose key is derived from a passphrase, as `limbic-vfs` writes it. */
const DERIVED = Buffer.from('LKD');

/** The key or passphrase of a database, in a form that the core reads. */
export type Secret = { readonly key: string } | { readonly passphrase: string };

/** Where keys are kept, as text in a form that the core reads, or what they are derived from. */
export interface KeySource {
  /** The passphrase from which the key is derived, if it is. */
  readonly passphrase: string | undefined;
  /** Returns the secret of the database; `undefined` if there is no key yet. */
  read(): Secret | undefined;
  /** Whether other databases may use the same key, as that in a file. */
  readonly isShared: boolean;
  /** Where the key is kept, for a person. */
  readonly place: string;
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
   * Makes the next key, which must have this phrase, the present one. Returns where the former key is kept, which
   * copies of the database and other databases may need.
   */
  promote(phrase: string, phraseOf: PhraseOf): RetainedKey | undefined;
}

/** Where a former key is kept, and what a person does to remove it. */
export interface RetainedKey {
  readonly place: string;
  readonly removal: string;
}

/** The variables that select a source. */
const VARIABLES = ['LIMBIC_KEY', 'LIMBIC_KEY_FILE', PASSPHRASE.text, PASSPHRASE.file];

function given(names: readonly string[], env: Env): string[] {
  return names.filter((name) => env[name] !== undefined && env[name] !== '');
}

/** Whether the environment selects a source, other than the keychain. */
export function hasSource(env: Env): boolean {
  return given(VARIABLES, env).length > 0;
}

/**
 * The source that the environment selects; the keychain if it selects none.
 *
 * @throws UsageError
 */
export function keySource(db: string, env: Env): KeySource {
  const [one, other] = given(VARIABLES, env);
  if (other !== undefined) throw new UsageError(`${one} and ${other} cannot be combined: set one of them`);
  const passphrase = passphraseOf(PASSPHRASE, env);
  return passphrase === undefined ? storedKey(db, env) : fromPassphrase(passphrase);
}

/**
 * As {@link keySource}, without passphrases.
 *
 * @throws UsageError
 */
export function storedKey(db: string, env: Env): KeySource {
  const [text, path] = [env['LIMBIC_KEY'], env['LIMBIC_KEY_FILE']].map((value) => (value === '' ? undefined : value));
  if (text !== undefined) return inVariable(requireUtf8(text, 'LIMBIC_KEY'));
  // The next and the former key lie beside the file itself, and a rotation leaves a link to it as it is.
  return path === undefined ? inKeychain(db) : inFile(realPath(expandPath(path, 'LIMBIC_KEY_FILE')));
}

/**
 * Returns the secret of a database; `undefined` for one that is not encrypted. The keychain is asked only about a file
 * that is encrypted, and whose key is not derived from a passphrase.
 *
 * @throws UsageError
 */
export function secretOfDatabase(db: string, env: Env = process.env): Secret | undefined {
  const isGiven = hasSource(env);
  if (!isGiven && (!seemsEncrypted(db) || isDerived(db))) return undefined;
  const key = keySource(db, env).read();
  if (key === undefined && isGiven) {
    const { nextPlace } = keySource(db, env);
    const advice = existsSync(nextPlace)
      ? `A rotation was interrupted: limbic-memory key rotate finishes it with ${nextPlace}`
      : 'limbic-memory key encrypt creates it';
    throw new UsageError(`LIMBIC_KEY_FILE names a file that does not exist: ${env['LIMBIC_KEY_FILE']}. ${advice}`);
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
  const start = startOf(db);
  return start.length > 0 && !start.equals(PLAIN);
}

/** Whether a file is there whose key is derived from a passphrase. */
export function isDerived(db: string): boolean {
  return startOf(db).subarray(0, DERIVED.length).equals(DERIVED);
}

/** Whether there is no file, or an empty one. */
export function isMissing(db: string): boolean {
  return (statSync(db, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** The first bytes of a file; none if it cannot be read, because opening the database reports the reason. */
function startOf(db: string): Buffer {
  try {
    const file = openSync(db, 'r');
    try {
      const start = Buffer.alloc(PLAIN.length);
      return start.subarray(0, readSync(file, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** A source of keys that are derived from a passphrase, and so kept nowhere. */
export function fromPassphrase(passphrase: string): KeySource {
  return { ...inVariable(''), passphrase, read: () => ({ passphrase }), place: 'no place' };
}

function inVariable(text: string): KeySource {
  const refuse = (): never => {
    throw new UsageError(
      'LIMBIC_KEY cannot be changed from here: keep the key in a file (LIMBIC_KEY_FILE) or in the keychain',
    );
  };
  return {
    passphrase: undefined,
    isShared: false,
    read: () => ({ key: text }),
    place: 'LIMBIC_KEY',
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
    passphrase: undefined,
    isShared: true,
    read: () => asKey(readKeyFile(path)),
    place: path,
    next: () => readKeyFile(nextPlace),
    nextPlace,
    store: (key) => createKeyFile(path, key, path),
    storeNext: (key) => createKeyFile(nextPlace, key, path),
    discardNext: () => removeKeyFile(nextPlace),
    promote(phrase, phraseOf) {
      const kept = promoteKeyFile(path, phrase, phraseOf);
      return kept === undefined ? undefined : { place: kept, removal: 'delete it' };
    },
  };
}

function inKeychain(db: string): KeySource {
  // The keychain knows a database by its path without links.
  const account = realPath(db);
  const keychain = keychainOf();
  const next = `${NEXT_ACCOUNT}${account}`;
  return {
    passphrase: undefined,
    isShared: false,
    read: () => asKey(keychain.find(account)),
    place: keychain.place(account),
    next: () => keychain.find(next),
    nextPlace: keychain.place(next),
    store: (key) => keychain.store(account, key),
    storeNext: (key) => keychain.store(next, key),
    discardNext: () => keychain.forget(next),
    promote(phrase, phraseOf) {
      const found = keychain.find(account);
      const former = found === undefined ? undefined : phraseOf(found);
      const waiting = keychain.find(next);
      const isNext = waiting !== undefined && isPhrase(waiting, phrase, phraseOf);
      if (former === phrase) {
        if (isNext) keychain.forget(next);
        return undefined;
      }
      if (!isNext) throw new UsageError(`${keychain.place(next)} holds another key`);
      const kept = former === undefined ? undefined : keepIn(keychain, account, former, phraseOf);
      keychain.store(account, phrase);
      keychain.forget(next);
      return kept;
    },
  };
}

/** Stores a former key beside the present one, under the first name that is free or holds this key. */
function keepIn(keychain: Keychain, account: string, phrase: string, phraseOf: PhraseOf): RetainedKey {
  for (let number = 1; ; number += 1) {
    const former = `${FORMER_ACCOUNT}${number === 1 ? '' : `${number}:`}${account}`;
    const found = keychain.find(former);
    if (found !== undefined && !isPhrase(found, phrase, phraseOf)) continue;
    if (found === undefined) keychain.store(former, phrase);
    return { place: keychain.place(former), removal: `remove it (${keychain.removal(former)})` };
  }
}

function isPhrase(text: string, phrase: string, phraseOf: PhraseOf): boolean {
  try {
    return phraseOf(text) === phrase;
  } catch {
    // It is something else.
    return false;
  }
}

function asKey(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : { key: text };
}
