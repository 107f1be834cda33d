/** `limbic-memory key` and `--encrypt`: encrypts a database, and shows or replaces its key. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { encrypt_database, recovery_phrase } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { loadCore } from './core/standalone.ts';
import { createFileHost } from './file-host.ts';
import type { KeyOptions } from './key-options.ts';
import { keyOfDatabase, keySource, seemsEncrypted } from './key-source.ts';
import { log } from './log.ts';
import { UsageError } from './usage.ts';

/** A key that was set or found, and what was done. */
interface Outcome {
  readonly phrase: string;
  readonly message: string;
}

/** Runs the command. The recovery phrase alone goes to standard output. Returns the exit code. */
export function runKey(options: KeyOptions): number {
  try {
    loadCore();
    const { phrase, message } = outcomeOf(options);
    log(message);
    process.stdout.write(`${phrase}\n`);
    return 0;
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
  if (action === 'encrypt') {
    if (!seemsEncrypted(db)) return encryptFile(db, acceptsSharedDisk);
    throw new UsageError(`${db} is already encrypted; limbic-memory key rotate gives it another key`);
  }
  const key = keyOfDatabase(db);
  if (key === undefined) throw new UsageError(`${db} is not encrypted, or has no key here`);
  return {
    phrase: recovery_phrase(key),
    message: 'this phrase opens the database: keep it where the database is not',
  };
}

/** Encrypts a database, or creates an encrypted one. */
function encryptFile(db: string, acceptsSharedDisk: boolean): Outcome {
  // The keychain knows the database by its path without links.
  mkdirSync(dirname(db), { recursive: true, mode: 0o700 });
  const source = keySource(db, process.env);
  const found = source.read();
  const phrase = recovery_phrase(found ?? randomKey());
  if (found === undefined) source.store(phrase);
  const rows = encrypt_database(createFileHost(), db, undefined, phrase, acceptsSharedDisk);
  const done =
    rows === undefined ? 'created an encrypted database' : `encrypted ${rows} rows, and overwrote the original`;
  return { phrase, message: `${done}; keep its recovery phrase` };
}

function rotate(db: string, acceptsSharedDisk: boolean): Outcome {
  if (!seemsEncrypted(db)) throw new UsageError(`${db} is not encrypted: limbic-memory key encrypt does that`);
  const source = keySource(db, process.env);
  const old = source.read();
  if (old === undefined) throw new UsageError('the present key is missing: set LIMBIC_KEY_FILE');
  const phrase = recovery_phrase(randomKey());
  source.storeNext(phrase);
  try {
    encrypt_database(createFileHost(), db, old, phrase, acceptsSharedDisk);
  } catch (error) {
    source.discard();
    throw error;
  }
  source.promote(phrase);
  return { phrase, message: 'the database has a new key, and the old recovery phrase no longer opens it' };
}

function randomKey(): string {
  return randomBytes(32).toString('hex');
}

function report(error: unknown): void {
  const failure = knownFailure(error);
  log(failure?.error ?? textOf(error));
  if (failure?.hint !== undefined) log(failure.hint);
}
