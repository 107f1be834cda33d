/** What the first bytes of a file tell about a SQLite database. */

/** As many bytes as are looked at. */
export const HEAD_BYTES = 72;

const MAGIC = 'SQLite format 3\0';
/** Place of `PRAGMA application_id`, big-endian. */
const APPLICATION_AT = 68;
/** The application id of Limbic databases. */
const APPLICATION = 'LMBC';

export function isDatabase(head: Uint8Array): boolean {
  return latin1(head).startsWith(MAGIC);
}

/** Whether a file is a Limbic database, whose import replaces the memory. */
export function isLimbicDatabase(head: Uint8Array): boolean {
  return isDatabase(head) && latin1(head).slice(APPLICATION_AT, APPLICATION_AT + APPLICATION.length) === APPLICATION;
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}
