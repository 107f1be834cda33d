/** Files that hold a key, for their owner only. No step overwrites the only copy of a key. */
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { textOf } from 'limbic-shell/failure.ts';
import { createFileHost, FileHostError } from './file-host.ts';
import { UsageError } from './usage.ts';

/** Suffixes of the key that the database gets next, and of those that it had. */
export const NEXT = '.new';
export const OLD = '.old';

const KEY_BYTES = 32;

/** Maximum length of a file with a key or a passphrase, in bytes. */
const MAX_FILE_BYTES = 4096;

/** Returns the recovery phrase of a key in one of its text forms. */
export type PhraseOf = (text: string) => string;

/** Reads the key in a file as text; `undefined` if there is no file. */
export function readKeyFile(path: string): string | undefined {
  const bytes = readPrivateFile(path, 'LIMBIC_KEY_FILE');
  if (bytes?.length === 0) {
    throw new UsageError(
      `the key file ${path} is empty, as a command that was interrupted may leave it: delete ${path}`,
    );
  }
  return bytes?.toString(bytes.length === KEY_BYTES ? 'hex' : 'utf8');
}

/** Reads a file that its owner alone may read and change; `undefined` if there is no file. `variable` names it. */
export function readPrivateFile(path: string, variable: string): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { mode, size } = statSync(path);
    // Windows has no modes.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(`${variable} names a file that other users may read or change: run chmod 600 '${path}'`);
    }
    // A pipe has no size.
    const bytes = size > MAX_FILE_BYTES ? undefined : readFileSync(path);
    if (bytes === undefined || bytes.length > MAX_FILE_BYTES) {
      throw new UsageError(
        `${variable} (${path}): the file is longer than 4,096 bytes: name one with the key or passphrase alone`,
      );
    }
    return bytes;
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(path, error);
  }
}

/**
 * Writes a key to a file that must not exist. The file gets its name when its content is on the disk and was read back.
 * It belongs to the owner of `like`, if there is one.
 */
export function createKeyFile(path: string, key: string, like: string): void {
  const temporary = join(dirname(path), `.limbic-key-${randomUUID()}`);
  const text = `${key.trim()}\n`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      keepOwner(like, temporary);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (readFileSync(temporary, 'utf8') !== text) throw new Error('what was stored was read back with another content');
    moveToFree(temporary, path);
    syncFolder(path);
  } catch (error) {
    throw unusable(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Puts the next key, which must have this phrase, in place of the present one, which is kept. Returns where;
 * `undefined` if the present key has the phrase already. `phraseOf` returns the recovery phrase of a key in one of its
 * text forms.
 */
export function promoteKeyFile(path: string, phrase: string, phraseOf: PhraseOf): string | undefined {
  const next = `${path}${NEXT}`;
  const [present, waiting] = [path, next].map((file) => phraseIn(file, phraseOf));
  if (present === phrase) {
    if (waiting === phrase) removeKeyFile(next);
    return undefined;
  }
  if (waiting !== phrase) throw new UsageError(`the key file ${next} holds another key`);
  const kept = present === undefined ? undefined : keep(path, present, phraseOf);
  try {
    renameSync(next, path);
  } catch (error) {
    throw unusable(path, error);
  }
  try {
    syncFolder(path);
  } catch {
    // If the name does not survive a power failure, the two files are as before, and the next rotation finishes.
  }
  return kept;
}

/** Removes a file whose key is kept elsewhere. */
export function removeKeyFile(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Stores a former key beside its file, under the first name that is free or holds this key. Returns its path. */
function keep(path: string, phrase: string, phraseOf: PhraseOf): string {
  for (let number = 1; ; number += 1) {
    const kept = number === 1 ? `${path}${OLD}` : `${path}${OLD}.${number}`;
    if (!existsSync(kept)) {
      createKeyFile(kept, phrase, path);
      return kept;
    }
    try {
      if (phraseIn(kept, phraseOf) === phrase) return kept;
    } catch {
      // It is something else.
    }
  }
}

function phraseIn(path: string, phraseOf: PhraseOf): string | undefined {
  const text = readKeyFile(path);
  return text === undefined ? undefined : phraseOf(text);
}

/**
 * Gives a file another name that must be free. Without hard links, an empty file takes the name first, so that no file
 * of another program is replaced.
 */
export function moveToFree(from: string, to: string, link: (from: string, to: string) => void = linked): void {
  try {
    link(from, to);
    return;
  } catch (error) {
    if (!(error instanceof FileHostError) || error.kind !== 'unsupported') throw error;
  }
  closeSync(openSync(to, 'wx', 0o600));
  try {
    renameSync(from, to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

function linked(from: string, to: string): void {
  createFileHost().link(from, to);
}

function syncFolder(path: string): void {
  createFileHost().syncFolder(dirname(path));
}

/** Gives a file the owner of another one, if that is there: root may write the key of a user. */
function keepOwner(like: string, path: string): void {
  const wanted = statSync(like, { throwIfNoEntry: false });
  const found = statSync(path);
  if (process.platform === 'win32' || wanted === undefined) return;
  if (wanted.uid !== found.uid || wanted.gid !== found.gid) chownSync(path, wanted.uid, wanted.gid);
}

function unusable(path: string, error: unknown): UsageError {
  return new UsageError(`the key file ${path} cannot be used: ${textOf(error)}`);
}
