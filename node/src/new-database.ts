/** Creating databases from the empty one that the package carries, which takes less time than creating their schema. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagedFile } from './paths.ts';

/** The time in the empty database, as `limbic-gen` writes it. */
const CREATED = '1970-01-01T00:00:00.000Z';

/** The end of the name under which a database is written, before random characters, as `limbic-vfs` knows it. */
const CREATING = '-creating-';

/**
 * Creates a database, unless there is a file. It appears at its path as a whole. If it cannot be created in this way,
 * such as on a disk without hard links, or beside the journal of a database that was deleted, there is none afterwards:
 * the core then creates an empty file and the schema in it, or reports why it cannot.
 *
 * @param path the absolute path, without links, in a folder that exists.
 * @param empty the path of the empty database.
 */
export function createDatabase(path: string, empty = packagedFile('empty.db')): void {
  const temporary = `${path}${CREATING}${randomUUID()}`;
  try {
    // SQLite would apply the journal of another database to this one.
    if (![path, `${path}-journal`, `${path}-wal`].some(isTaken)) {
      writeDurably(temporary, createdAt(new Date(), fs.readFileSync(empty)));
      // Fails if another process was first.
      fs.linkSync(temporary, path);
    }
  } catch {
    // The core comes next.
  }
  removeTemporary(path, temporary);
}

function isTaken(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Changes the time in the empty database. */
function createdAt(time: Date, database: Buffer): Buffer {
  const text = time.toISOString();
  if (text.length !== CREATED.length) throw new Error(`${text} does not fit into the empty database`);
  for (let at = database.indexOf(CREATED); at !== -1; at = database.indexOf(CREATED, at)) database.write(text, at);
  return database;
}

/** Creates a file that only its owner may read, and returns when its content would survive a power failure. */
export function writeDurably(path: string, content: Uint8Array): void {
  const file = fs.openSync(path, 'wx', 0o600);
  try {
    fs.writeFileSync(file, content);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Removes the temporary name, and those of processes that were killed while they created this database. A process that
 * is creating it meanwhile does not need its name any more, or continues without.
 */
function removeTemporary(path: string, temporary: string): void {
  removeIfThere(temporary);
  const start = `${basename(path)}${CREATING}`;
  try {
    for (const name of fs.readdirSync(dirname(path))) {
      if (name.startsWith(start)) removeIfThere(join(dirname(path), name));
    }
  } catch {
    // A folder that cannot be listed.
  }
}

function removeIfThere(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // It is not there, or remains until the next attempt; as a second name of the database, the core removes it.
  }
}
