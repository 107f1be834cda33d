/**
 * Whether another program holds SQLite's own locks on a file.
 *
 * A program that has a database open in WAL mode would go on writing into a `-wal` that a conversion has deleted: what it
 * acknowledges from then on would be lost. Its locks are those of the operating system, which ours are not. Linux lists
 * them; elsewhere they cannot be seen.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** Where a database's header tells the file format for writing and for reading, and what says WAL there. */
const FORMAT_OFFSET = 18;
const WAL_FORMAT = 2;
/** Where SQLite locks a file: 512 bytes from the first gigabyte on. */
const LOCKS_START = 2 ** 30;
const LOCKS_END = LOCKS_START + 512;

/** Whether another program has a database in WAL mode open, of ours or not. */
export function isInUse(path: string): boolean {
  return process.platform === 'linux' && isInWalMode(path) && isLocked(path);
}

/** The error for a database of ours that is in use, in the form in which the core throws. */
export function inUseError(): Error {
  const error =
    'Another program has the database open in WAL mode, and would lose what it writes: close it, then try again';
  return new Error(JSON.stringify({ error, code: 'conflict' }));
}

function isInWalMode(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const format = new Uint8Array(2);
      return readSync(file, format, 0, 2, FORMAT_OFFSET) === 2 && format.includes(WAL_FORMAT);
    } finally {
      closeSync(file);
    }
  } catch {
    // Opening it tells better why it cannot be read.
    return false;
  }
}

function isLocked(path: string): boolean {
  try {
    const { ino } = statSync(path, { bigint: true });
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => isLockOf(line, String(ino)));
  } catch {
    return false;
  }
}

/** Whether a line such as `3: POSIX  ADVISORY  READ 1234 fe:01:131077 1073741826 1073742335` is of SQLite on this file. */
function isLockOf(line: string, inode: string): boolean {
  const [file = '', start = ''] = line.trim().split(/\s+/).slice(-3);
  return file.split(':').pop() === inode && Number(start) >= LOCKS_START && Number(start) < LOCKS_END;
}
