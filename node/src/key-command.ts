/** `limbic-memory key` and `--encrypt`: encrypts a database, and shows or replaces its key. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  encrypt_database,
  type EncryptedDatabase,
  opening_phrase,
  recovery_phrase,
  require_new_passphrase,
} from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { inUseError, isInUse } from './core/in-use.ts';
import { loadCore } from './core/standalone.ts';
import { createFileHost } from './file-host.ts';
import type { KeyOptions, NewKey } from './key-options.ts';
import {
  fromPassphrase,
  hasSource,
  isDerived,
  type KeySource,
  keySource,
  type Secret,
  secretOfDatabase,
  seemsEncrypted,
  storedKey,
} from './key-source.ts';
import { keychainOf } from './keychain.ts';
import { log } from './log.ts';
import { canAsk, NEW_PASSPHRASE, PASSPHRASE, passphraseOf, PassphrasePrompt } from './passphrase.ts';
import { UsageError } from './usage.ts';

/** The result of an action, with the key of the database after it. */
interface Outcome {
  readonly phrase: string;
  readonly message: string;
  readonly isFinished: boolean;
}

/** The exit code if the database has the key that is shown, and something else is left to do. */
const UNFINISHED = 2;

/** Runs the command. The recovery phrase alone goes to standard output. Returns the exit code. */
export async function runKey(options: KeyOptions): Promise<number> {
  const prompt = new PassphrasePrompt();
  try {
    loadCore();
    const { phrase, message, isFinished } = await outcomeOf(options, prompt);
    log(message);
    process.stdout.write(`${phrase}\n`);
    return isFinished ? 0 : UNFINISHED;
  } catch (error) {
    report(error);
    return 2;
  } finally {
    prompt.close();
  }
}

/**
 * Encrypts the database of a server unless it is encrypted. The recovery phrase is shown at a terminal only, where a
 * person may be asked for the passphrase, too. Returns whether the server can start.
 */
export async function prepareEncryption(db: string, acceptsSharedDisk: boolean): Promise<boolean> {
  const prompt = new PassphrasePrompt();
  try {
    if (seemsEncrypted(db)) {
      // A wrong key is reported when the database is opened; a passphrase at the terminal can be entered again.
      if (hasSource(process.env) || !isDerived(db) || !canAsk()) return true;
      loadCore();
      rememberTried(await sourceOfEncrypted(db, prompt), db);
      return true;
    }
    loadCore();
    const source = await sourceOfNew(db, false, prompt);
    const outcome = encryptFile(db, acceptsSharedDisk, source);
    if (outcome === undefined) {
      // Another program has encrypted it, perhaps with a passphrase of its own.
      if (isDerived(db) && source.passphrase !== undefined) rememberTried(source, db);
      return true;
    }
    remember(source);
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
  } finally {
    prompt.close();
  }
}

/** Hands a passphrase that was typed to the thread of the core, which reads the environment of this process. */
function remember({ passphrase }: KeySource): void {
  if (passphrase !== undefined && !hasSource(process.env)) process.env[PASSPHRASE.text] = passphrase;
}

/** Remembers a passphrase if it opens the database. */
function rememberTried(source: KeySource, db: string): void {
  if (phraseBy(source.read(), db) === undefined) throw wrongKey();
  remember(source);
}

async function outcomeOf(options: KeyOptions, prompt: PassphrasePrompt): Promise<Outcome> {
  const { db, action, newKey, acceptsSharedDisk } = options;
  if (action === 'rotate') return rotate(db, acceptsSharedDisk, newKey, prompt);
  if (action === 'export') return exportKey(db, prompt);
  const outcome = seemsEncrypted(db)
    ? undefined
    : encryptFile(db, acceptsSharedDisk, await sourceOfNew(db, newKey === 'passphrase', prompt));
  if (outcome !== undefined) return outcome;
  throw new UsageError(`${db} is already encrypted; limbic-memory key rotate gives it another key`);
}

/**
 * The source of a database that is encrypted. A person is asked for its passphrase if it has one and no variable is
 * set.
 */
async function sourceOfEncrypted(db: string, prompt: PassphrasePrompt): Promise<KeySource> {
  const isAsked = isDerived(db) && !hasSource(process.env);
  return isAsked ? fromPassphrase(await prompt.present(db)) : keySource(db, process.env);
}

/**
 * The source of a database that is about to be encrypted. A person is asked for a passphrase if one is wanted, or there
 * is no keychain, and no variable is set.
 */
async function sourceOfNew(db: string, wantsPassphrase: boolean, prompt: PassphrasePrompt): Promise<KeySource> {
  if (!hasSource(process.env) && (wantsPassphrase || (canAsk() && !keychainOf().exists()))) {
    return fromPassphrase(await prompt.fresh(db, PASSPHRASE, require_new_passphrase));
  }
  // The keychain knows the database by its path without links.
  mkdirSync(dirname(db), { recursive: true, mode: 0o700 });
  const source = keySource(db, process.env);
  if (source.passphrase !== undefined) require_new_passphrase(source.passphrase);
  else if (wantsPassphrase) {
    throw new UsageError('--passphrase cannot be combined with LIMBIC_KEY or LIMBIC_KEY_FILE: unset it');
  }
  return source;
}

/** Encrypts a plain database, or creates an encrypted one. `undefined` if another program was faster. */
function encryptFile(db: string, acceptsSharedDisk: boolean, source: KeySource): Outcome | undefined {
  if (isInUse(db)) throw inUseError();
  mkdirSync(dirname(db), { recursive: true, mode: 0o700 });
  let chosen: Secret | undefined;
  const choose = (): string => {
    const found = source.read();
    const secret = found ?? { key: randomKey() };
    if (found === undefined && 'key' in secret) source.store(recovery_phrase(secret.key));
    chosen = secret;
    return JSON.stringify(secret);
  };
  let done: EncryptedDatabase;
  try {
    done = encrypt_database(createFileHost(), db, undefined, choose, acceptsSharedDisk);
  } catch (error) {
    if (chosen === undefined && seemsEncrypted(db)) return undefined;
    throw error;
  }
  const { rows, tables, unfinished } = done;
  const end = unfinished === undefined ? ', and overwrote the original' : '';
  const message =
    rows === undefined ? 'created an encrypted database' : `encrypted ${rows} rows of ${tables} tables${end}`;
  return {
    phrase: phraseOf(chosen, db),
    message: `${message}${unfinishedSuffix(unfinished)}; keep the recovery phrase`,
    isFinished: unfinished === undefined,
  };
}

/**
 * Encrypts a database with another key, or finishes what was interrupted. A next key that an earlier run has stored is
 * used rather than replaced: it may be the key of this database, or of another one that shares the key file.
 */
async function rotate(
  db: string,
  acceptsSharedDisk: boolean,
  newKey: NewKey,
  prompt: PassphrasePrompt,
): Promise<Outcome> {
  if (!seemsEncrypted(db)) {
    requireFile(db);
    throw new UsageError(`${db} is not encrypted: limbic-memory key encrypt encrypts it`);
  }
  if (isInUse(db)) throw inUseError();
  const given = newKey === 'random' ? await presentPassphrase(db, prompt) : undefined;
  const present = given === undefined ? await sourceOfEncrypted(db, prompt) : fromPassphrase(given);
  // Where a random key is kept.
  const keys = present.passphrase === undefined ? present : storedKey(db, process.env);
  const old = present.read();
  // In place of a passphrase: other databases may need it, so that no other key takes its place.
  const isShared = newKey === 'random' && present.passphrase !== undefined && keys.isShared;
  const shared = isShared ? keys.read() : undefined;
  if (phraseBy(old, db) === undefined) {
    const waiting = keys.next();
    const phrase = waiting === undefined ? undefined : phraseBy({ key: waiting }, db);
    if (phrase !== undefined) {
      createFileHost().syncFolder(dirname(db));
      const finished = promoted(keys, phrase, undefined);
      return newKey === 'passphrase' ? thenAgain(finished) : finished;
    }
    const phraseOfShared = phraseBy(shared, db);
    if (phraseOfShared !== undefined) return moved(keys, phraseOfShared, undefined);
    throw old === undefined ? new UsageError('the present key is missing: set LIMBIC_KEY_FILE') : wrongKey();
  }
  const isFromPassphrase = newKey === 'passphrase' || (newKey === 'same' && present.passphrase !== undefined);
  const passphrase = isFromPassphrase ? await newPassphrase(db, prompt) : undefined;
  let chosen: Secret | undefined;
  const choose = (): string => {
    chosen = passphrase === undefined ? (shared ?? { key: nextKey(keys, old) }) : { passphrase };
    return JSON.stringify(chosen);
  };
  let done: EncryptedDatabase;
  try {
    done = encrypt_database(createFileHost(), db, JSON.stringify(old), choose, acceptsSharedDisk);
  } catch (error) {
    if (chosen === undefined || passphrase !== undefined || shared !== undefined) throw error;
    const reason = knownFailure(error)?.error ?? textOf(error);
    throw new UsageError(
      `${reason}. The next limbic-memory key rotate uses the new key, which is in ${keys.nextPlace}`,
    );
  }
  const phrase = phraseOf(chosen, db);
  if (passphrase !== undefined) return derived(present, phrase, done.unfinished);
  if (shared !== undefined) return moved(keys, phrase, done.unfinished);
  if (!done.may_come_back) {
    const outcome = promoted(keys, phrase, done.unfinished);
    if (present.passphrase === undefined) return outcome;
    const place = `. The key is in ${keys.place}: unset LIMBIC_PASSPHRASE for this database`;
    return { ...outcome, message: `${outcome.message}${place}` };
  }
  const message =
    `the database has a new key${unfinishedSuffix(done.unfinished)}. Both keys are kept, the new one in ${keys.nextPlace}: run ` +
    'limbic-memory key rotate again to finish';
  return { phrase, message, isFinished: false };
}

/** The passphrase of a database, whatever is set for keys; `undefined` if there is none. */
async function presentPassphrase(db: string, prompt: PassphrasePrompt): Promise<string | undefined> {
  const found = passphraseOf(PASSPHRASE, process.env);
  if (found !== undefined || !isDerived(db) || (process.env['LIMBIC_KEY'] ?? '') !== '') return found;
  return prompt.present(db);
}

/** The new passphrase of a rotation: that of the environment, or what a person types. */
async function newPassphrase(db: string, prompt: PassphrasePrompt): Promise<string> {
  const found = passphraseOf(NEW_PASSPHRASE, process.env);
  if (found === undefined) return prompt.fresh(db, NEW_PASSPHRASE, require_new_passphrase);
  require_new_passphrase(found);
  return found;
}

/** The recovery phrase of the key with which a secret opens a database; `undefined` if it does not open it. */
function phraseBy(secret: Secret | undefined, db: string): string | undefined {
  return secret === undefined ? undefined : opening_phrase(createFileHost(), db, JSON.stringify(secret));
}

/** The recovery phrase of the key that a database has got. An error here does not undo that. */
function phraseOf(chosen: Secret | undefined, db: string): string {
  if (chosen === undefined) throw new Error('no key was chosen');
  if ('key' in chosen) return recovery_phrase(chosen.key);
  let reason = 'the passphrase does not open it';
  try {
    const phrase = phraseBy(chosen, db);
    if (phrase !== undefined) return phrase;
  } catch (error) {
    reason = knownFailure(error)?.error ?? textOf(error);
  }
  throw new UsageError(
    `the database has the new passphrase, but its recovery phrase could not be read (${reason}): limbic-memory key ` +
      'export shows it',
  );
}

/** The key that a database gets, stored as the next one. `present` opens it now. Returns its recovery phrase. */
function nextKey(keys: KeySource, present: Secret | undefined): string {
  const waiting = keys.next();
  if (waiting !== undefined) {
    const phrase = recovery_phrase(waiting);
    const isPresent = present !== undefined && 'key' in present && phrase === recovery_phrase(present.key);
    if (!isPresent) return phrase;
    keys.discardNext();
  }
  const phrase = recovery_phrase(randomKey());
  keys.storeNext(phrase);
  return phrase;
}

/**
 * Describes a database whose key is derived from a new passphrase now; `former` is where the key came from before.
 */
function derived(former: KeySource, phrase: string, unfinished: string | undefined): Outcome {
  const kept =
    former.passphrase === undefined
      ? `. It replaces the one in ${former.place}, which stays there for copies and other databases: unset LIMBIC_KEY and ` +
        'LIMBIC_KEY_FILE for this one, and remove the key when nothing needs it'
      : '';
  const message =
    'the key of the database is derived from the new passphrase, and the old recovery phrase no longer opens it' +
    `${unfinishedSuffix(unfinished)}${kept}`;
  return { phrase, message, isFinished: unfinished === undefined };
}

/** Describes a database that has the key of other databases now, in place of a passphrase. */
function moved(keys: KeySource, phrase: string, unfinished: string | undefined): Outcome {
  const message =
    `the database has the key that was in ${keys.place} already, and the passphrase no longer opens it` +
    `${unfinishedSuffix(unfinished)}. The key is in ${keys.place}: unset LIMBIC_PASSPHRASE for this database`;
  return { phrase, message, isFinished: unfinished === undefined };
}

/** The outcome of a run that has finished an earlier rotation instead of its own. */
function thenAgain(finished: Outcome): Outcome {
  const message = `${finished.message}. That was the rotation that was interrupted: run the command again for the passphrase`;
  return { ...finished, message, isFinished: false };
}

/** Makes the key of a database the present one. */
function promoted(source: KeySource, phrase: string, unfinished: string | undefined): Outcome {
  try {
    const kept = source.promote(phrase, recovery_phrase);
    const place =
      kept === undefined
        ? ''
        : `. The old key stays in ${kept.place}, for copies and other databases: ${kept.removal} when none needs it`;
    const message = `the database has a new key, and the old recovery phrase no longer opens it${unfinishedSuffix(unfinished)}${place}`;
    return { phrase, message, isFinished: unfinished === undefined };
  } catch (error) {
    const message =
      `the database has a new key, which is in ${source.nextPlace}, and could not take the place of the old one ` +
      `(${textOf(error)}): keep the recovery phrase, and run limbic-memory key rotate again to finish`;
    return { phrase, message, isFinished: false };
  }
}

/** Why the key of an encrypted database cannot be exported. */
const NO_KEY = 'is encrypted, and its key is not in the keychain: name the file of its key with LIMBIC_KEY_FILE';

function requireFile(db: string): void {
  if (!existsSync(db)) throw new UsageError(`the database does not exist: ${db}`);
}

/** Returns the key of a database, after it was tried. */
async function exportKey(db: string, prompt: PassphrasePrompt): Promise<Outcome> {
  const source = await sourceOfEncrypted(db, prompt);
  const isEncrypted = seemsEncrypted(db);
  const present = isEncrypted ? source.read() : undefined;
  if (isEncrypted && present === undefined) {
    const outcome = nextOutcome(source, db);
    if (outcome !== undefined) return outcome;
  }
  // Otherwise with the errors of opening it.
  const secret = isDerived(db) ? present : secretOfDatabase(db);
  requireFile(db);
  if (secret === undefined) throw new UsageError(isEncrypted ? `${db} ${NO_KEY}` : `${db} is not encrypted`);
  const phrase = phraseBy(secret, db);
  if (phrase !== undefined) {
    return { phrase, message: 'this phrase opens the database: keep it apart from the database', isFinished: true };
  }
  const outcome = nextOutcome(source, db);
  if (outcome === undefined) throw wrongKey();
  return outcome;
}

/** The next key, if a rotation that was interrupted has given it to the database. */
function nextOutcome(source: KeySource, db: string): Outcome | undefined {
  const waiting = source.next();
  const phrase = waiting === undefined ? undefined : phraseBy({ key: waiting }, db);
  const message =
    'this phrase opens the database, whose rotation was interrupted: run limbic-memory key rotate to finish it';
  return phrase === undefined ? undefined : { phrase, message, isFinished: true };
}

function wrongKey(): UsageError {
  return new UsageError(
    'The key or passphrase does not open the database: it belongs to another database, or the file is damaged. Nothing was changed',
  );
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
