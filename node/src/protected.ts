/** Files that an export never replaces: a memory's database and its sidecar files. */
import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { realPath } from './paths.ts';

/** Suffixes of a database's sidecar files. */
const SIDECAR_SUFFIXES = ['-journal', '-wal', '-shm', '-locks', '-tokens', '-encrypting'];
/** Bytes of a file header that identify a database: SQLite's magic and, in the last four bytes, our application id. */
const HEADER_BYTES = 72;
/** The size of a page of an encrypted database. */
const PAGE_BYTES = 4096;
const SQLITE = 'SQLite format 3\0';
const LIMBIC = 'LMBC';

/** Why an export of this database must not be written to `out`; `undefined` if it may. */
export function refusal(out: string, database: string): string | undefined {
  const place = realPath(out);
  const mine = [database, ...SIDECAR_SUFFIXES.map((suffix) => `${realPath(database)}${suffix}`)];
  const owners = ownersOf(place);
  if (mine.some((file) => isSame(place, file)) || owners.some((owner) => isSame(owner, database))) {
    return 'the file belongs to the database that is exported: name another file';
  }
  if ([place, ...owners].some(isMemory))
    return 'the file belongs to a Limbic memory, which would be lost: name another file';
  return undefined;
}

/** The databases whose sidecar file or folder `place` would be. */
function ownersOf(place: string): string[] {
  return [place, dirname(place)].flatMap((path) =>
    // File systems may ignore case.
    SIDECAR_SUFFIXES.filter((suffix) => basename(path).toLowerCase().endsWith(suffix)).map((suffix) =>
      path.slice(0, -suffix.length),
    ),
  );
}

/** Whether two paths name the same file, also through links or a different case. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [left, right].map((path) => fs.statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return realPath(left) === realPath(right);
  return one.dev === other.dev && one.ino === other.ino;
}

/** Whether a file may be an encrypted database: it has whole pages without SQLite's header, and a journal. */
function isEncrypted(path: string, head: string): boolean {
  const { size } = fs.statSync(path);
  return size > 0 && size % PAGE_BYTES === 0 && !head.startsWith(SQLITE) && fs.existsSync(`${realPath(path)}-journal`);
}

function isMemory(path: string): boolean {
  try {
    if (!fs.statSync(path).isFile()) return false;
    const file = fs.openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEADER_BYTES);
      fs.readSync(file, head);
      const text = head.toString('latin1');
      return (text.startsWith(SQLITE) && text.endsWith(LIMBIC)) || isEncrypted(path, text);
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // It does not exist or is not readable: writing reports the reason.
    return false;
  }
}
