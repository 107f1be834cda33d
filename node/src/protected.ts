/** Files that an export never replaces: a memory's database, its sidecar files and its keys. */
import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { recovery_phrase } from 'limbic-pkg/core/limbic_core.js';
import { NEXT, OLD } from './key-file.ts';
import { keyFileOfEnvironment } from './key-source.ts';
import { passphraseFiles } from './passphrase.ts';
import { realPath } from './paths.ts';

/** Suffixes of a database's sidecar files. */
const SIDECAR_SUFFIXES = ['-journal', '-wal', '-shm', '-locks', '-tokens', '-encrypting'];
/** Bytes of a file header that identify a database: SQLite's magic and, in the last four bytes, our application id. */
const HEADER_BYTES = 72;
/** The size of a page of an encrypted database. */
const PAGE_BYTES = 4096;
/** Maximum length of the text of a key, in bytes. */
const MAX_KEY_BYTES = 4096;
/** Maximum chi-squared statistic of a page of random bytes: ten standard deviations (22.6) above the mean (255). */
const MAX_CHI_SQUARED = 480;
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
  if (isKey(place)) return 'the file holds the key of a database, which would be lost: name another file';
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

/**
 * Whether a file holds the key or the passphrase of a database: the environment names it, it is the next key or a
 * former one of the key file, or it has the form of a key.
 */
function isKey(place: string): boolean {
  if (passphraseFiles(process.env).some((file) => isSame(place, file))) return true;
  const file = keyFileOfEnvironment();
  if (file !== undefined) {
    const real = realPath(file);
    if (isSame(place, file) || place === `${real}${NEXT}` || place.startsWith(`${real}${OLD}`)) return true;
  }
  try {
    const found = fs.statSync(place);
    return found.isFile() && found.size <= MAX_KEY_BYTES && isKeyText(fs.readFileSync(place, 'utf8'));
  } catch {
    // It does not exist or is not readable: writing reports the reason.
    return false;
  }
}

/** Whether a text is a key in one of its forms; a recovery phrase must have its checksum. The core must be loaded. */
function isKeyText(text: string): boolean {
  try {
    recovery_phrase(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a file may be an encrypted database: it has whole pages without SQLite's header, and a journal or a first
 * page that looks random.
 */
function isEncrypted(path: string, head: string): boolean {
  const { size } = fs.statSync(path);
  const hasPages = size > 0 && size % PAGE_BYTES === 0 && !head.startsWith(SQLITE);
  return hasPages && (fs.existsSync(`${realPath(path)}-journal`) || looksRandom(path));
}

/** Whether the first page of a file contains every byte value about equally often. */
function looksRandom(path: string): boolean {
  const page = Buffer.alloc(PAGE_BYTES);
  const file = fs.openSync(path, 'r');
  try {
    if (fs.readSync(file, page) < PAGE_BYTES) return false;
  } finally {
    fs.closeSync(file);
  }
  const [counts, mean] = [new Uint16Array(256), PAGE_BYTES / 256];
  for (const byte of page) counts[byte] = (counts[byte] ?? 0) + 1;
  const deviations = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0);
  return deviations <= MAX_CHI_SQUARED * mean;
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
