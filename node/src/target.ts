/** Writes a file atomically: to a temporary file first, which is then renamed. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { refusal } from './protected.ts';

/** The file cannot be written; the message states the reason. */
export class TargetError extends Error {}

/** A file that is being written. */
export class Target {
  readonly #path: string;
  readonly #temporary: string;
  readonly #replaces: boolean;
  #file: number | undefined;

  /**
   * Starts an export of a database. An existing file is replaced only with `replaces`, and never if it belongs to a
   * memory.
   *
   * @throws TargetError
   */
  constructor(path: string, replaces: boolean, database: string) {
    this.#path = path;
    this.#replaces = replaces;
    this.#temporary = join(dirname(path), `.limbic-export-${randomUUID()}.tmp`);
    attempt(path, () => {
      const found = fs.statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory() ?? false) throw new TargetError(`it is a folder: ${path}`);
      if (found !== undefined && !found.isFile()) throw new TargetError(`it is not a regular file: ${path}`);
      // First, since no option replaces these files.
      const refused = refusal(path, database);
      if (refused !== undefined) throw new TargetError(`${refused}: ${path}`);
      if (found !== undefined && !replaces) throw new TargetError(`${EXISTS}: ${path}`);
      // The file is readable by its owner only.
      this.#file = fs.openSync(this.#temporary, 'wx', 0o600);
    });
  }

  /** Appends a chunk. */
  write(piece: Uint8Array): void {
    attempt(this.#path, () => writeAll(this.#open(), piece));
  }

  /** Moves the file to its path and syncs the folder. */
  finish(): void {
    attempt(this.#path, () => {
      fs.fsyncSync(this.#open());
      this.#close();
      if (this.#replaces) fs.renameSync(this.#temporary, this.#path);
      else this.#link();
      ignoringErrors(() => {
        const folder = fs.openSync(dirname(this.#path), 'r');
        fs.fsyncSync(folder);
        fs.closeSync(folder);
      });
    });
  }

  /** Removes the temporary file. */
  abandon(): void {
    ignoringErrors(() => this.#close());
    ignoringErrors(() => fs.unlinkSync(this.#temporary));
  }

  /**
   * Links instead of renaming, which would replace a file created meanwhile. Falls back to renaming where links are not
   * supported.
   */
  #link(): void {
    try {
      fs.linkSync(this.#temporary, this.#path);
    } catch (error) {
      if (fs.existsSync(this.#path)) throw error;
      fs.renameSync(this.#temporary, this.#path);
      return;
    }
    fs.unlinkSync(this.#temporary);
  }

  #open(): number {
    if (this.#file === undefined) throw new TargetError(`the file is closed: ${this.#path}`);
    return this.#file;
  }

  #close(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Writes a whole chunk to a file or a pipe. */
export function writeAll(file: number, piece: Uint8Array): void {
  for (let done = 0; done < piece.length; ) {
    try {
      done += fs.writeSync(file, piece, done, piece.length - done);
    } catch (error) {
      // The pipe is full.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** The reason of a write error, as text. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

const EXISTS = 'the file exists: name another one, or use --force to replace it';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'the folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'permission denied',
  EISDIR: 'it is a folder',
  EEXIST: EXISTS,
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

/**
 * Runs `work` on a file.
 *
 * @throws TargetError with the reason of any error and the file's path.
 */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TargetError ? error : new TargetError(`${reasonOf(error)}: ${path}`);
  }
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The file does not exist any more, or the platform does not support it.
  }
}
