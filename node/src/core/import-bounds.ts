import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** One reason for every file that a client over HTTP may not import, so that it cannot find out which files exist. */
export const NOT_IMPORTABLE =
  'clients over HTTP may import only known formats from the folder that the server was started with (--import-dir)';

/** The folder that files of a source must be in. */
export class ImportBounds {
  readonly #folder: string | undefined;

  /** @param folder its path, with all links resolved; default: files may be anywhere. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Whether a file may be read, by its path. A link that leads nowhere may not. */
  include(path: string): boolean {
    if (this.#folder === undefined) return true;
    try {
      return this.#isBelow(realpathSync.native(path));
    } catch {
      return false;
    }
  }

  /**
   * Opens a regular file. What was opened must be within the bounds: another process may replace a folder by a link
   * after a path was checked.
   */
  open(path: string): number {
    const file = openWithoutWaiting(path);
    try {
      if (!this.holds(file, path)) throw new Error(NOT_IMPORTABLE);
      if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  }

  /** Whether an open file is within the bounds. */
  holds(file: number, path: string): boolean {
    if (this.#folder === undefined) return true;
    const place = placeOf(file, path);
    return place !== undefined && this.#isBelow(place);
  }

  #isBelow(path: string): boolean {
    const folder = this.#folder ?? '';
    return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  }
}

/** Opens a file for reading. A pipe in its place is opened without waiting for its writer. */
export function openWithoutWaiting(path: string): number {
  return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

/** The path of an open file, with all links resolved; `undefined` if it is no longer the file at its path. */
export function placeOf(file: number, path: string): string | undefined {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } catch {
      // Not mounted.
    }
  }
  const place = realpathSync.native(path);
  const opened = fstatSync(file, { bigint: true });
  const there = lstatSync(place, { bigint: true });
  return opened.dev === there.dev && opened.ino === there.ino ? place : undefined;
}
