/** Describes what a deletion overwrites where the memory is stored, and what it does not reach. */
import type { SourceStatus } from '../source/source.ts';

type Stored = Pick<SourceStatus, 'storage' | 'isEncrypted' | 'overwrites'>;

/**
 * Returns, for the notification of a deletion, what was overwritten: rows with `secure_delete`, words with FTS5’s
 * `secure-delete`, vectors by their own table, the journal by the VFS. `undefined` if that is not known.
 */
export function erasedSentence({ storage, isEncrypted, overwrites }: Stored): string | undefined {
  switch (storage) {
    case 'server':
      if (overwrites === undefined) return undefined;
      return overwrites
        ? 'Overwritten in the database file: rows, words of the search index, vectors and journal. Exports, backups and snapshots of the disk keep their copies.'
        : 'Deleted from the store: PostgreSQL keeps the bytes until VACUUM, and in its log and backups.';
    case 'browser':
      return isEncrypted === true
        ? 'Overwritten in this browser’s storage: rows, words of the search index, vectors and journal. Exports keep their copies.'
        : 'Overwritten in this browser’s storage: rows, words of the search index and vectors. The journal was cut off, so its blocks may stay on the disk. Exports keep their copies.';
    case 'memory':
      return 'The memory is only in this page: nothing was on a disk.';
    case 'file':
    case 'unknown':
      return undefined;
  }
}
