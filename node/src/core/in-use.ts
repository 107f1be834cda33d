/**
 * Checks whether another program holds SQLite's locks on a file.
 *
 * Converting a database that another program has open in WAL mode deletes its `-wal` file: later writes of that program
 * would be lost. SQLite uses operating-system locks, our own locks are separate files. Linux lists operating-system
 * locks in `/proc/locks`; other platforms do not.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** Offset of the write and read versions in a database's header, and their value in WAL mode. */
const FORMAT_OFFSET = 18;
const WAL_FORMAT = 2;
/** The byte range of SQLite's locks: 512 bytes from 1 GiB. */
const LOCKS_START = 2 ** 30;
const LOCKS_END = LOCKS_START + 512;

/** Whether another program has a database in WAL mode open, whichever program owns the file. */
export function isInUse(path: string): boolean {
  return process.platform === 'linux' && isInWalMode(path) && isLocked(path);
}

/** The error for a Limbic database that is in use, in the form in which the core throws. */
export function inUseError(): Error {
  const error = 'Another program has the database open in WAL mode and would lose its writes: close it, then try again';
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
    // Opening the database reports the reason.
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

/**
 * Whether a line such as `3: POSIX  ADVISORY  READ 1234 fe:01:131077 1073741826 1073742335` in `/proc/locks` is a
 * SQLite lock on this file.
 */
function isLockOf(line: string, inode: string): boolean {
  const [file = '', start = ''] = line.trim().split(/\s+/).slice(-3);
  return file.split(':').pop() === inode && Number(start) >= LOCKS_START && Number(start) < LOCKS_END;
}
