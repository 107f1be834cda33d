/** A file that is written whole or not at all: beside its place, then moved there. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { refusal } from './protected.ts';

/** The file cannot be written; the message says why. */
export class TargetError extends Error {}

/** A file on its way to its place. */
export class Target {
  readonly #path: string;
  readonly #temporary: string;
  readonly #replaces: boolean;
  #file: number | undefined;

  /**
   * Begins an export of a database. A file that is there is replaced only if that is wanted, and never when it belongs to a
   * memory.
   *
   * @throws TargetError
   */
  constructor(path: string, replaces: boolean, database: string) {
    this.#path = path;
    this.#replaces = replaces;
    this.#temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    attempt(path, () => {
      const found = fs.statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory() ?? false) throw new TargetError(`it is a folder: ${path}`);
      if (found !== undefined && !found.isFile()) throw new TargetError(`it is not a regular file: ${path}`);
      if (found !== undefined && !replaces) throw new TargetError(`${EXISTS}: ${path}`);
      const refused = refusal(path, database);
      if (refused !== undefined) throw new TargetError(`${refused}: ${path}`);
      // A memory is its owner's alone.
      this.#file = fs.openSync(this.#temporary, 'wx', 0o600);
    });
  }

  /** Writes a piece. */
  write(piece: Uint8Array): void {
    attempt(this.#path, () => writeAll(this.#open(), piece));
  }

  /** Puts the file in its place, where it stays even if the power fails. */
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

  /** Leaves nothing behind. */
  abandon(): void {
    ignoringErrors(() => this.#close());
    ignoringErrors(() => fs.unlinkSync(this.#temporary));
  }

  /** Renaming would replace what somebody else has made meanwhile; linking does not. Not every file system can link. */
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
    if (this.#file === undefined) throw new TargetError(`it is closed: ${this.#path}`);
    return this.#file;
  }

  #close(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Writes all of a piece to a file or a pipe. */
export function writeAll(file: number, piece: Uint8Array): void {
  for (let done = 0; done < piece.length; ) {
    try {
      done += fs.writeSync(file, piece, done, piece.length - done);
    } catch (error) {
      // A pipe whose reader is slower than we are.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Why something cannot be written, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

const EXISTS = 'there is a file of that name: give another one, or --force to replace it';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'you may not write there',
  EISDIR: 'it is a folder',
  EEXIST: EXISTS,
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

function attempt(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof TargetError ? error : new TargetError(`${reasonOf(error)}: ${path}`);
  }
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    // It is gone already, or the platform cannot do it.
  }
}
