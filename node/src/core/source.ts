import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** A file that the core reads where and when it wants. */
export interface Source {
  readonly size: number;
  /** Fills the buffer; fewer bytes only at the end of the file. */
  readAt(buffer: Uint8Array, offset: number): number;
}

/** Does something with an open file, or with the reason why it cannot be had. */
export function withSource<T>(path: string, work: (source: Source | string) => T): T {
  const file = open(path);
  if (typeof file === 'string') return work(file);
  try {
    return work({ size: fstatSync(file).size, readAt: (buffer, offset) => readAt(file, buffer, offset) });
  } finally {
    closeSync(file);
  }
}

/** A pipe or a device might never end. */
function open(path: string): number | string {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return 'it is a folder';
    if (!stat.isFile()) return 'it is not a regular file';
    return openSync(path, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
    if (code === 'EACCES' || code === 'EPERM') return 'you may not read it';
    return error instanceof Error ? error.message : String(error);
  }
}

function readAt(file: number, buffer: Uint8Array, offset: number): number {
  let done = 0;
  while (done < buffer.length) {
    const count = readSync(file, buffer, done, buffer.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
