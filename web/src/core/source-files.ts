/**
 * Files of folders that a person has opened, with the methods that the core's module requires of a host of source code.
 *
 * Contents stay on the person's disk and are read when the core asks for them.
 */
import type { CodeModule } from 'limbic-shell/code-module.ts';

/** The folder above all projects. */
export const PROJECTS = '/code';

/** A file of a folder: its path below the folder, with `/` between names. */
export interface SourceFile {
  readonly path: string;
  readonly file: File;
}

/** Reads a file, or its first bytes, synchronously. */
export type ReadSync = (blob: Blob) => Uint8Array;

/** A failure with a kind that the core distinguishes. */
class SourceError extends Error {
  readonly kind: 'missing' | 'other';

  constructor(kind: 'missing' | 'other', message: string) {
    super(message);
    this.name = 'SourceError';
    this.kind = kind;
  }
}

/** The modules that parse: the second one has the grammars that the first one lacks, and may be missing. */
export interface Parsers {
  readonly first: CodeModule;
  readonly more: CodeModule | undefined;
}

const NANOS_PER_MILLI = 1_000_000n;
const RULES_FAILED = 'the ignore rules cannot be evaluated';

/** The path of the project with this name. */
export function projectPath(name: string): string {
  return `${PROJECTS}/${name}`;
}

/** The methods that `code_host.rs` calls; see `node/src/core/code-host.ts`. */
export class SourceFiles {
  readonly #readSync: ReadSync;
  readonly #files = new Map<string, File>();
  /** The names and kinds of the entries of each folder. */
  readonly #folders = new Map<string, Map<string, 'f' | 'd'>>([[PROJECTS, new Map()]]);
  readonly #utf8 = new TextEncoder();
  readonly #subwords: Uint8Array;
  #parsers: Parsers;

  /** @param subwords the table of static vectors. */
  constructor(parsers: Parsers, subwords: Uint8Array, readSync: ReadSync) {
    this.#parsers = parsers;
    this.#subwords = subwords;
    this.#readSync = readSync;
  }

  /** Uses other modules from here on. */
  set parsers(parsers: Parsers) {
    this.#parsers = parsers;
  }

  /** Replaces the files of a project. */
  put(name: string, files: readonly SourceFile[]): void {
    const root = projectPath(name);
    for (const path of [...this.#files.keys()]) if (path.startsWith(`${root}/`)) this.#files.delete(path);
    for (const path of [...this.#folders.keys()]) {
      if (path === root || path.startsWith(`${root}/`)) this.#folders.delete(path);
    }
    this.#folder(root);
    for (const { path, file } of files) {
      const whole = `${root}/${path}`;
      const end = whole.lastIndexOf('/');
      this.#files.set(whole, file);
      this.#folder(whole.slice(0, end)).set(whole.slice(end + 1), 'f');
    }
  }

  realPath(base: string, path: string): string {
    const whole = joined(base, path);
    if (this.#files.has(whole) || this.#folders.has(whole)) return whole;
    throw missing();
  }

  /** The entries of a folder: for each the letter of its kind, the bytes of its name and a NUL character. */
  list(base: string, folder: string): Uint8Array {
    const entries = this.#folders.get(joined(base, folder));
    if (entries === undefined) throw missing();
    return this.#utf8.encode([...entries].map(([name, kind]) => `${kind}${name}\0`).join(''));
  }

  stat(base: string, path: string): object {
    const whole = joined(base, path);
    if (this.#folders.has(whole)) return { kind: 'd', size: 0, mtime: 0n };
    const file = this.#files.get(whole);
    if (file === undefined) throw missing();
    return { kind: 'f', size: file.size, mtime: BigInt(Math.round(file.lastModified)) * NANOS_PER_MILLI };
  }

  read(base: string, path: string): Uint8Array {
    const file = this.#files.get(joined(base, path));
    if (file === undefined) throw missing();
    try {
      return this.#readSync(file);
    } catch {
      throw new SourceError('other', 'it has changed or is gone: open the folder again');
    }
  }

  home(): undefined {
    return undefined;
  }

  pause(): void {}

  extract(path: string, content: Uint8Array): Uint8Array {
    const { first, more } = this.#parsers;
    return (more !== undefined && first.needsMore(path, content) ? more : first).extract(path, content);
  }

  /** There are no other threads that extract. */
  prepares(): boolean {
    return false;
  }

  prepare(): void {}

  clearRules(): void {
    this.#parsers.first.clearRules();
  }

  addRules(folder: string, name: string, content: Uint8Array): void {
    this.#parsers.first.addRules(folder, name, content);
  }

  excluded(paths: string): Uint8Array {
    try {
      return this.#parsers.first.excluded(paths);
    } catch {
      throw new Error(RULES_FAILED);
    }
  }

  subwords(): Uint8Array {
    return this.#subwords;
  }

  /** The entries of a folder, which is added with those above it. */
  #folder(path: string): Map<string, 'f' | 'd'> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf('/');
    this.#folder(path.slice(0, end)).set(path.slice(end + 1), 'd');
    const entries = new Map<string, 'f' | 'd'>();
    this.#folders.set(path, entries);
    return entries;
  }
}

/** Whether a file is in a language that only the module for other languages can parse. */
export function needsMore(first: CodeModule, { path, file }: SourceFile, readSync: ReadSync): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Without an ending, the first line may name an interpreter.
  const content = name.includes('.') ? new Uint8Array(0) : firstBytes(file, readSync);
  return first.needsMore(path, content);
}

const FIRST_LINE_BYTES = 200;

function firstBytes(file: File, readSync: ReadSync): Uint8Array {
  try {
    return readSync(file.slice(0, FIRST_LINE_BYTES));
  } catch {
    return new Uint8Array(0);
  }
}

function missing(): SourceError {
  return new SourceError('missing', 'there is nothing');
}

function joined(base: string, path: string): string {
  if (path === '' || path.startsWith('/')) return path === '' ? base : path;
  return base.endsWith('/') ? `${base}${path}` : `${base}/${path}`;
}
