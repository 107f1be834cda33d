/**
 * Access of the code index to source code: raw file access with the synchronous calls of `node:fs`, and the module that
 * parses it. Which files may be read, and which of them are, is decided in `limbic-code-disk`.
 */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { CodeModule } from 'limbic-shell/code-module.ts';

/** How long a server waits for another one that indexes the same project. */
const PAUSE_MILLIS = 20;

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

/** Metadata of a path. The kind is `f` for a file, `d` for a folder (directory), `o` for anything else. */
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
  readonly #first: Parser;
  readonly #more: Parser;
  readonly #subwords: string;
  readonly #sleeper = new Int32Array(new SharedArrayBuffer(4));
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /**
   * @param wasm path of the module that parses and evaluates ignore rules, which is loaded when it is first needed.
   * @param wasmMore path of the module for other languages, which is loaded at the first file in one of them.
   * @param subwords path of the table of static vectors, which is read when a search needs it. There may be none.
   */
  constructor(wasm: string, wasmMore: string, subwords: string) {
    this.#first = new Parser(wasm);
    this.#more = new Parser(wasmMore);
    this.#subwords = subwords;
  }

  realPath(base: string, path: string): string {
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

  read(base: string, path: string): Uint8Array {
    return attempt(() => fs.readFileSync(joined(base, path)));
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
    const failure = 'the parser failed';
    const needsMore = this.#first.use(failure, (module) => module.needsMore(path, content));
    return (needsMore ? this.#more : this.#first).use(failure, (module) => module.extract(path, content));
  }

  clearRules(): void {
    this.#first.use(RULES_FAILED, (module) => module.clearRules());
  }

  addRules(folder: string, name: string, content: Uint8Array): void {
    this.#first.use(RULES_FAILED, (module) => module.addRules(folder, name, content));
  }

  excluded(paths: string): Uint8Array {
    return this.#first.use(RULES_FAILED, (module) => module.excluded(paths));
  }

  /** The table of static vectors; `undefined` if there is none. */
  subwords(): Uint8Array | undefined {
    return fs.existsSync(this.#subwords) ? fs.readFileSync(this.#subwords) : undefined;
  }

  /** Releases the memory of the modules, which grows with the largest file. The next use loads them again. */
  rest(): void {
    this.#first.rest();
    this.#more.rest();
  }
}

/** A module that is loaded when it is first used. */
class Parser {
  readonly #wasm: string;
  #module: CodeModule | undefined;

  constructor(wasm: string) {
    this.#wasm = wasm;
  }

  /** Uses the module. After a trap the instance is in an unknown state, and the next use has another one. */
  use<T>(failure: string, work: (module: CodeModule) => T): T {
    const module = this.#loaded();
    try {
      return work(module);
    } catch {
      this.#module = undefined;
      throw new Error(failure);
    }
  }

  rest(): void {
    this.#module = undefined;
  }

  #loaded(): CodeModule {
    try {
      return (this.#module ??= CodeModule.loadSync(fs.readFileSync(this.#wasm)));
    } catch (error) {
      throw new Error(`the parser cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const RULES_FAILED = 'the ignore rules cannot be evaluated';

/** Nothing is normalised: `..` behind a link means the folder above the one that the link names. */
function joined(base: string, path: string): string {
  if (path === '' || isAbsolute(path)) return path === '' ? base : path;
  return base.endsWith('/') ? `${base}${path}` : `${base}/${path}`;
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): string {
  if (found.isFile()) return 'f';
  return found.isDirectory() ? 'd' : 'o';
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new CodeHostError(KINDS[code] ?? 'other', error instanceof Error ? error.message : String(error));
  }
}
