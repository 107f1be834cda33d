import { closeSync, existsSync, fstatSync, readSync, realpathSync } from 'node:fs';
import { ImportBounds } from './import-bounds.ts';

/** A file of a folder; `path` is relative to the folder, with slashes. */
export interface FolderFile {
  readonly path: string;
  readonly size: number;
}

/** A file with random access, or a folder whose files are read as if they were concatenated. */
export interface Source {
  readonly size: number;
  /** The files of a folder, in reading order; `undefined` for a file. */
  readonly files?: readonly FolderFile[];
  /** Opens the file of the same name with this suffix, such as `-wal`; `undefined` if it does not exist. */
  sidecar?(suffix: string): Source | undefined;
  /** Fills the buffer; returns fewer bytes only at the end. */
  readAt(buffer: Uint8Array, offset: number): number;
}

/** A source that must be closed. */
export interface OpenSource extends Source {
  close(): void;
}

/**
 * Opens a file. Throws if it cannot be opened.
 *
 * @param bounds where it and the files beside it must be.
 */
export function openFile(path: string, bounds = new ImportBounds()): OpenSource {
  const file = bounds.open(path);
  const neighbours: OpenSource[] = [];
  return {
    size: fstatSync(file).size,
    sidecar: (suffix) => {
      const neighbour = openBeside(path, suffix, bounds);
      if (neighbour !== undefined) neighbours.push(neighbour);
      return neighbour;
    },
    readAt: (buffer, offset) => readAt(file, buffer, offset),
    close: () => {
      neighbours.forEach((neighbour) => neighbour.close());
      closeSync(file);
    },
  };
}

/** For a symbolic link, the sidecar files are beside its target. */
function openBeside(path: string, suffix: string, bounds: ImportBounds): OpenSource | undefined {
  const name = `${realpathSync.native(path)}${suffix}`;
  if (!existsSync(name) || !bounds.include(name)) return undefined;
  try {
    return openFile(name, bounds);
  } catch (error) {
    throw new Error(`${name}: ${reason(error)}`, { cause: error });
  }
}

/** Fills the buffer from an open file; returns fewer bytes only at its end. */
export function readAt(file: number, buffer: Uint8Array, offset: number): number {
  let done = 0;
  while (done < buffer.length) {
    const count = readSync(file, buffer, done, buffer.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** The reason why a file cannot be read, as text for users. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'you may not read it';
  return error instanceof Error ? error.message : String(error);
}
