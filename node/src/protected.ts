/** Files that an export never takes the place of: a memory, and what SQLite and our locks keep beside it. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What lies beside a database under its name. */
const SIDECAR_SUFFIXES = ['-journal', '-wal', '-shm', '-locks'];
/** As much of a file as tells whose database it is: what SQLite files begin with, and the id of ours in the last four bytes. */
const HEADER_BYTES = 72;
const SQLITE = 'SQLite format 3\0';
const LIMBIC = 'LMBC';

/** Why no export of this database may be written here; nothing when one may. */
export function refusal(out: string, database: string): string | undefined {
  const place = resolved(out);
  const mine = [database, ...SIDECAR_SUFFIXES.map((suffix) => `${resolved(database)}${suffix}`)];
  const owners = ownersOf(place);
  if (mine.some((file) => isSame(place, file)) || owners.some((owner) => isSame(owner, database))) {
    return 'it belongs to the database that is exported: give another file';
  }
  if ([place, ...owners].some(isMemory))
    return 'it belongs to a memory of Limbic, which would be lost: give another file';
  return undefined;
}

/** The databases that a file of this name, or one in a folder of this name, would lie beside. */
function ownersOf(place: string): string[] {
  return [place, dirname(place)].flatMap((path) =>
    // Where a file system does not tell case apart, neither may this.
    SIDECAR_SUFFIXES.filter((suffix) => basename(path).toLowerCase().endsWith(suffix)).map((suffix) =>
      path.slice(0, -suffix.length),
    ),
  );
}

/** Through links of both kinds, and whatever the case where that does not matter. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [left, right].map((path) => fs.statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return resolved(left) === resolved(right);
  return one.dev === other.dev && one.ino === other.ino;
}

/** The path without links; the last part need not exist. */
function resolved(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    try {
      return join(fs.realpathSync.native(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

function isMemory(path: string): boolean {
  try {
    if (!fs.statSync(path).isFile()) return false;
    const file = fs.openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEADER_BYTES);
      fs.readSync(file, head);
      const text = head.toString('latin1');
      return text.startsWith(SQLITE) && text.endsWith(LIMBIC);
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // It is not there, or nobody may read it: writing tells what is wrong.
    return false;
  }
}
