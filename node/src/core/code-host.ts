/**
 * Access of the code index to source code: raw file access with the synchronous calls of `node:fs`, and the modules
 * that parse it. Which files may be read, and which of them are, is decided in `limbic-code-disk`.
 */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, normalize } from 'node:path';
import { readLarge } from '../large-file.ts';
import { ExtractionPrefetch } from './extraction-prefetch.ts';
import { openWithoutWaiting, placeOf } from './import-bounds.ts';
import { type ParserFiles, Parsers } from './parsers.ts';
import { mayLookUp } from './unc-path.ts';

/** How long a server waits for another one that indexes the same project. */
const PAUSE_MILLIS = 20;
/** How often a file is opened that is replaced at this moment. */
const OPENINGS = 3;
/** Files shorter than this are read into the same buffer: a buffer per file would wait for the garbage collector. */
const READ_BYTES = 1 << 20;

/** Kinds of failures that the core distinguishes. */
type FailureKind = 'missing' | 'denied' | 'link-circle' | 'name-too-long' | 'not-unicode' | 'other';

const KINDS: Readonly<Record<string, FailureKind>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  ELOOP: 'link-circle',
  ENAMETOOLONG: 'name-too-long',
};

/** Metadata of a path. The kind is `f` for a file, `d` for a folder (directory), `l` for a link, `o` for others. */
interface CodeStat {
  readonly kind: string;
  readonly size: number;
  /** Time of the last change in nanoseconds since 1970. */
  readonly mtime: bigint;
}

/** A failure with a kind that the core distinguishes. */
class CodeHostError extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.name = 'CodeHostError';
    this.kind = kind;
  }
}

/**
 * The methods that `code_host.rs` calls. A path is given as an absolute base and a path from there; an empty one means
 * the base itself, an absolute one replaces it. Links on the way to its last part are followed.
 */
export class CodeHost {
  readonly #parsers: Parsers;
  readonly #prefetch: ExtractionPrefetch;
  readonly #subwords: string;
  readonly #sleeper = new Int32Array(new SharedArrayBuffer(4));
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #readBuffer: Buffer | undefined;

  /**
   * @param files paths of the modules, which are loaded when they are first needed.
   * @param subwords path of the table of static vectors, which is read when a search needs it. There may be none.
   */
  constructor(files: ParserFiles, subwords: string) {
    this.#parsers = new Parsers(files);
    this.#prefetch = new ExtractionPrefetch(() => ({ ...files, compiled: this.#parsers.compiled }), this.#parsers);
    this.#subwords = subwords;
  }

  realPath(base: string, path: string): string {
    if (!mayLookUp(path, [base])) throw new CodeHostError('other', 'it is on another computer');
    const real = attempt(() => fs.realpathSync.native(joined(base, path), { encoding: 'buffer' }));
    try {
      return this.#utf8.decode(real);
    } catch {
      throw new CodeHostError('not-unicode', 'the path is not valid UTF-8');
    }
  }

  /** The entries of a folder: for each the letter of its kind, the bytes of its name and a NUL character. */
  list(base: string, folder: string): Uint8Array {
    const entries = attempt(() => fs.readdirSync(joined(base, folder), { withFileTypes: true, encoding: 'buffer' }));
    return Buffer.concat(entries.flatMap((entry) => [Buffer.from(kindOf(entry)), entry.name, Buffer.of(0)]));
  }

  stat(base: string, path: string): CodeStat {
    const found = attempt(() => fs.lstatSync(joined(base, path), { bigint: true }));
    return { kind: kindOf(found), size: Number(found.size), mtime: found.mtimeNs < 0n ? -1n : found.mtimeNs };
  }

  /**
   * The bytes of a file, which are valid until the next call: the core copies them. No link leads to the file from the
   * base, which is a real path.
   */
  read(base: string, path: string): Uint8Array {
    return attempt(() => {
      const file = openInPlace(joined(base, path));
      try {
        return this.#read(file);
      } finally {
        fs.closeSync(file);
      }
    });
  }

  home(): string | undefined {
    try {
      return homedir();
    } catch {
      return undefined;
    }
  }

  pause(): void {
    Atomics.wait(this.#sleeper, 0, 0, PAUSE_MILLIS);
  }

  extract(path: string, content: Uint8Array): Uint8Array {
    return this.#prefetch.take(path, content) ?? this.#parsers.extract(path, content);
  }

  prepares(): boolean {
    return this.#prefetch.hasThreads;
  }

  /** Takes files that are extracted soon: their paths, each with a NUL character, and their contents in a row. */
  prepare(paths: string, lengths: Uint32Array, contents: Uint8Array): void {
    this.#prefetch.prepare(paths.split('\0').slice(0, -1), lengths, contents);
  }

  clearRules(): void {
    this.#parsers.clearRules();
  }

  addRules(folder: string, name: string, content: Uint8Array): void {
    this.#parsers.addRules(folder, name, content);
  }

  excluded(paths: string): Uint8Array {
    return this.#parsers.excluded(paths);
  }

  /** The table of static vectors; `undefined` if there is none. */
  subwords(): Uint8Array | undefined {
    return fs.existsSync(this.#subwords) ? readLarge(this.#subwords) : undefined;
  }

  /** Releases the memory of the modules and their threads. The next use loads them again. */
  rest(): void {
    this.#parsers.rest();
    this.#prefetch.end();
    this.#readBuffer = undefined;
  }

  #read(file: number): Uint8Array {
    const buffer = (this.#readBuffer ??= Buffer.allocUnsafeSlow(READ_BYTES));
    for (let length = 0; length < buffer.length; ) {
      const count = fs.readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) return buffer.subarray(0, length);
      length += count;
    }
    return Buffer.concat([buffer, fs.readFileSync(file)]);
  }
}

/**
 * Opens a regular file at a real path. What was opened must be there: another process may replace the file or a folder
 * by a link after the path was checked.
 */
function openInPlace(path: string): number {
  const wanted = process.platform === 'win32' ? normalize(path) : path;
  for (let opening = 0; opening < OPENINGS; opening += 1) {
    const file = openWithoutWaiting(path);
    if (isInPlace(file, path, wanted)) return file;
    fs.closeSync(file);
  }
  throw new CodeHostError('missing', 'there is no file, or a link leads to it');
}

function isInPlace(file: number, path: string, wanted: string): boolean {
  try {
    return fs.fstatSync(file).isFile() && placeOf(file, path) === wanted;
  } catch {
    // It was deleted after it was opened.
    return false;
  }
}

/** Nothing is normalised: `..` behind a link means the folder above the one that the link names. */
function joined(base: string, path: string): string {
  if (path === '' || isAbsolute(path)) return path === '' ? base : path;
  return base.endsWith('/') ? `${base}${path}` : `${base}/${path}`;
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): string {
  if (found.isFile()) return 'f';
  if (found.isDirectory()) return 'd';
  return found.isSymbolicLink() ? 'l' : 'o';
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodeHostError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new CodeHostError(KINDS[code] ?? 'other', error instanceof Error ? error.message : String(error));
  }
}
