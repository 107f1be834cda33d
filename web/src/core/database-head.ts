/** Detects SQLite databases and their mode from the first bytes of a file. */

/** Number of bytes to read. */
export const HEAD_BYTES = 72;

const MAGIC = 'SQLite format 3\0';
/** Offset of `PRAGMA application_id`, big-endian. */
const APPLICATION_AT = 68;
/** The application id of Limbic databases. */
const APPLICATION = 'LMBC';

/** Offsets of the write and read versions. */
const FORMATS_AT = [18, 19];
const WAL_FORMAT = 2;
const JOURNAL_MAGIC = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

export function isDatabase(head: Uint8Array): boolean {
  return latin1(head).startsWith(MAGIC);
}

/** Whether a file is a Limbic database, whose import replaces the memory. */
export function isLimbicDatabase(head: Uint8Array): boolean {
  return isDatabase(head) && latin1(head).slice(APPLICATION_AT, APPLICATION_AT + APPLICATION.length) === APPLICATION;
}

/** Whether a database is in WAL mode, where the latest changes may be in a second file, `NAME-wal`. */
export function isInWalMode(head: Uint8Array): boolean {
  return isDatabase(head) && FORMATS_AT.some((offset) => head[offset] === WAL_FORMAT);
}

/** Whether a file is a hot journal. The journal of a completed transaction is empty or begins with zeros. */
export function isLiveJournal(head: Uint8Array): boolean {
  return JOURNAL_MAGIC.every((byte, index) => head[index] === byte);
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}
