/** `limbic-memory key` and `--encrypt`: encrypts a database, and shows or replaces its key. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  encrypt_database,
  type EncryptedDatabase,
  opens_database,
  recovery_phrase,
} from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { inUseError, isInUse } from './core/in-use.ts';
import { loadCore } from './core/standalone.ts';
import { createFileHost } from './file-host.ts';
import type { KeyOptions } from './key-options.ts';
import { keyOfDatabase, type KeySource, keySource, seemsEncrypted } from './key-source.ts';
import { log } from './log.ts';
import { UsageError } from './usage.ts';

/** What was done, and with which key the database opens now. */
interface Outcome {
  readonly phrase: string;
  readonly message: string;
  readonly isFinished: boolean;
}

/** The exit code if the database has the key that is shown, and something else is left to do. */
const UNFINISHED = 2;

/** Runs the command. The recovery phrase alone goes to standard output. Returns the exit code. */
export function runKey(options: KeyOptions): number {
  try {
    loadCore();
    const { phrase, message, isFinished } = outcomeOf(options);
    log(message);
    process.stdout.write(`${phrase}\n`);
    return isFinished ? 0 : UNFINISHED;
  } catch (error) {
    report(error);
    return 2;
  }
}

/**
 * Encrypts the database of a server unless it is encrypted. The recovery phrase is shown at a terminal only. Returns
 * whether the server can start.
 */
export function prepareEncryption(db: string, acceptsSharedDisk: boolean): boolean {
  try {
    if (seemsEncrypted(db)) return true;
    loadCore();
    const outcome = encryptFile(db, acceptsSharedDisk);
    if (outcome === undefined) return true;
    log(outcome.message);
    log(
      process.stderr.isTTY
        ? `recovery phrase: ${outcome.phrase}`
        : 'limbic-memory key export shows its recovery phrase',
    );
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

function outcomeOf({ db, action, acceptsSharedDisk }: KeyOptions): Outcome {
  if (action === 'rotate') return rotate(db, acceptsSharedDisk);
  if (action === 'export') return exportKey(db);
  const outcome = encryptFile(db, acceptsSharedDisk);
  if (outcome !== undefined) return outcome;
  throw new UsageError(`${db} is already encrypted; limbic-memory key rotate gives it another key`);
}

/** Encrypts a database, or creates an encrypted one. `undefined` if it is encrypted already. */
function encryptFile(db: string, acceptsSharedDisk: boolean): Outcome | undefined {
  // A wrong key is reported when the database is opened.
  if (seemsEncrypted(db)) return undefined;
  if (isInUse(db)) throw inUseError();
  // The keychain knows the database by its path without links.
  mkdirSync(dirname(db), { recursive: true, mode: 0o700 });
  const source = keySource(db, process.env);
  let phrase: string | undefined;
  const choose = (): string => {
    const found = source.read();
    const chosen = recovery_phrase(found ?? randomKey());
    if (found === undefined) source.store(chosen);
    phrase = chosen;
    return chosen;
  };
  let done: EncryptedDatabase;
  try {
    done = encrypt_database(createFileHost(), db, undefined, choose, acceptsSharedDisk);
  } catch (error) {
    // Another program was faster.
    if (phrase === undefined && seemsEncrypted(db)) return undefined;
    throw error;
  }
  if (phrase === undefined) throw new Error('no key was chosen');
  const { rows, tables, unfinished } = done;
  const end = unfinished === undefined ? ', and overwrote the original' : '';
  const message =
    rows === undefined ? 'created an encrypted database' : `encrypted ${rows} rows of ${tables} tables${end}`;
  return {
    phrase,
    message: `${message}${unfinishedSuffix(unfinished)}; keep the recovery phrase`,
    isFinished: unfinished === undefined,
  };
}

/**
 * Encrypts a database with another key, or finishes what was interrupted. A next key that an earlier run has stored is
 * used rather than replaced: it may be the key of this database, or of another one that shares the key file.
 */
function rotate(db: string, acceptsSharedDisk: boolean): Outcome {
  if (!seemsEncrypted(db)) throw new UsageError(`${db} is not encrypted: limbic-memory key encrypt does that`);
  if (isInUse(db)) throw inUseError();
  const source = keySource(db, process.env);
  const old = source.read();
  if (old === undefined) throw new UsageError('the present key is missing: set LIMBIC_KEY_FILE');
  const waiting = opens_database(createFileHost(), db, old) ? undefined : source.next();
  if (waiting !== undefined && opens_database(createFileHost(), db, waiting)) {
    createFileHost().syncFolder(dirname(db));
    return promoted(source, recovery_phrase(waiting), undefined);
  }
  let phrase: string | undefined;
  const choose = (): string => {
    phrase = nextKey(source, old);
    return phrase;
  };
  let done: EncryptedDatabase;
  try {
    done = encrypt_database(createFileHost(), db, old, choose, acceptsSharedDisk);
  } catch (error) {
    if (phrase === undefined) throw error;
    const reason = knownFailure(error)?.error ?? textOf(error);
    throw new UsageError(
      `${reason}. The next limbic-memory key rotate uses the new key, which is in ${source.nextPlace}`,
    );
  }
  if (phrase === undefined) throw new Error('no key was chosen');
  if (!done.may_come_back) return promoted(source, phrase, done.unfinished);
  const message =
    `the database has a new key${unfinishedSuffix(done.unfinished)}. Both keys are kept, the new one in ${source.nextPlace}: run ` +
    'limbic-memory key rotate again to finish';
  return { phrase, message, isFinished: false };
}

/** The key that a database gets, stored as the next one. */
function nextKey(source: KeySource, present: string): string {
  const waiting = source.next();
  if (waiting !== undefined) {
    const phrase = recovery_phrase(waiting);
    if (phrase !== recovery_phrase(present)) return phrase;
    source.discardNext();
  }
  const phrase = recovery_phrase(randomKey());
  source.storeNext(phrase);
  return phrase;
}

/** Makes the key of a database the present one. */
function promoted(source: KeySource, phrase: string, unfinished: string | undefined): Outcome {
  try {
    const kept = source.promote(phrase, recovery_phrase);
    const place =
      kept === undefined
        ? ''
        : `. The old key stays in ${kept}, for copies and other databases: delete it when none needs it`;
    const message = `the database has a new key, and the old recovery phrase no longer opens it${unfinishedSuffix(unfinished)}${place}`;
    return { phrase, message, isFinished: unfinished === undefined };
  } catch (error) {
    const message =
      `the database has a new key, which is in ${source.nextPlace}, and could not take the place of the old one ` +
      `(${textOf(error)}): keep the recovery phrase, and run limbic-memory key rotate again to finish`;
    return { phrase, message, isFinished: false };
  }
}

/** Returns the key of a database, after it was tried. */
function exportKey(db: string): Outcome {
  const key = keyOfDatabase(db);
  if (key === undefined) throw new UsageError(`${db} is not encrypted, or has no key here`);
  if (!existsSync(db)) throw new UsageError(`there is no database to try the key with: ${db}`);
  if (opens_database(createFileHost(), db, key)) {
    const message = 'this phrase opens the database: keep it where the database is not';
    return { phrase: recovery_phrase(key), message, isFinished: true };
  }
  const next = keySource(db, process.env).next();
  if (next === undefined || !opens_database(createFileHost(), db, next)) {
    throw new UsageError(
      "The key does not open the database: it is another one's, or the file is damaged. Nothing was changed",
    );
  }
  const message =
    'this phrase opens the database, whose rotation was interrupted: run limbic-memory key rotate to finish it';
  return { phrase: recovery_phrase(next), message, isFinished: true };
}

/** The end of a message that says what was not done. */
function unfinishedSuffix(unfinished: string | undefined): string {
  return unfinished === undefined ? '' : `, but ${unfinished}`;
}

function randomKey(): string {
  return randomBytes(32).toString('hex');
}

function report(error: unknown): void {
  const failure = knownFailure(error);
  log(failure?.error ?? textOf(error));
  if (failure?.hint !== undefined) log(failure.hint);
}
