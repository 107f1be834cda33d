import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, shellFailure } from './failure.ts';
import type { Reply } from './messages.ts';
import { readReply } from './read-reply.ts';

type Progress = (done: number, total: number) => void;

/** Bytes that are read piece by piece. */
export interface Source {
  readonly size: number;
  readAt(buffer: Uint8Array, offset: number): number;
}

const NO_ENCODINGS = new Uint8Array(0);
const SQLITE_MAGIC = 'SQLite format 3\0';
/** The core takes no larger database, and reading one would end the worker. */
const DATABASE_BYTES_MAX = 1024 ** 3;

/** A database of ours takes the place of this one; any other memory is added to it. */
export function importFile(core: Core, name: string, file: Blob, progress: Progress): Reply {
  const reader = new FileReaderSync();
  const source = sourceOf(file, (part) => new Uint8Array(reader.readAsArrayBuffer(part)));
  if (isDatabase(source)) {
    if (file.size > DATABASE_BYTES_MAX) return tooLarge(file.size);
    const bytes = new Uint8Array(reader.readAsArrayBuffer(file));
    try {
      core.import_database(bytes);
      return { isError: false, text: JSON.stringify({ replaced: true }) };
    } catch (error) {
      if (knownFailure(error)?.code !== 'foreign_database') throw error;
    }
  }
  const args = JSON.stringify({ source_path: name });
  return readReply(core.call_with_file('migrate', args, NO_ENCODINGS, source, progress));
}

/** A file as the core reads it. Gives fewer bytes than asked for only at the end. */
export function sourceOf(file: Blob, read: (part: Blob) => Uint8Array): Source {
  return {
    size: file.size,
    readAt(buffer, offset) {
      const part = read(file.slice(offset, offset + buffer.length));
      buffer.set(part);
      return part.length;
    },
  };
}

function isDatabase(source: Source): boolean {
  const head = new Uint8Array(SQLITE_MAGIC.length);
  source.readAt(head, 0);
  return new TextDecoder('latin1').decode(head) === SQLITE_MAGIC;
}

function tooLarge(bytes: number): Reply {
  const error = `The browser takes databases of at most 1 GiB; this one has ${(bytes / DATABASE_BYTES_MAX).toFixed(1)} GiB`;
  return shellFailure('file_too_large', error, 'Open it on a server: limbic-memory --ui --db FILE.');
}
