import { closeSync, existsSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';

/** A file of a folder: where it is, seen from the folder, with slashes. */
export interface FolderFile {
  readonly path: string;
  readonly size: number;
}

/** A file that the core reads where and when it wants, or a folder, whose files are read as if they were one. */
export interface Source {
  readonly size: number;
  /** Those of a folder, in the order in which they are read; nothing for a file. */
  readonly files?: readonly FolderFile[];
  /** The file whose name is this one's with a suffix, such as a database's `-wal`; nothing when there is none. */
  beside?(suffix: string): Source | undefined;
  /** Fills the buffer; fewer bytes only at the end. */
  readAt(buffer: Uint8Array, offset: number): number;
}

/** A source that somebody must close. */
export interface OpenSource extends Source {
  close(): void;
}

/** Opens a file; throws when it cannot be had. */
export function openFile(path: string): OpenSource {
  const file = openSync(path, 'r');
  const neighbours: OpenSource[] = [];
  return {
    size: fstatSync(file).size,
    beside: (suffix) => {
      const neighbour = openBeside(path, suffix);
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

/** What a link leads to has its neighbours where it lies. */
function openBeside(path: string, suffix: string): OpenSource | undefined {
  const name = `${realpathSync.native(path)}${suffix}`;
  if (!existsSync(name)) return undefined;
  try {
    return openFile(name);
  } catch (error) {
    throw new Error(`${name}: ${reason(error)}`, { cause: error });
  }
}

/** Fills the buffer from an open file; fewer bytes only at its end. */
export function readAt(file: number, buffer: Uint8Array, offset: number): number {
  let done = 0;
  while (done < buffer.length) {
    const count = readSync(file, buffer, done, buffer.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Why a file cannot be read, in words for people. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'you may not read it';
  return error instanceof Error ? error.message : String(error);
}
