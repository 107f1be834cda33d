/** The exports of the module; see `crates/wasm/code/src/lib.rs`. */
interface Exports extends Partial<IgnoreExports> {
  readonly memory: { readonly buffer: ArrayBuffer };
  code_input(bytes: number): number;
  code_extract(pathBytes: number): number;
  code_output(): number;
  code_facts_version(): number;
  code_needs_more(pathBytes: number): number;
}

/** Those that the module `code-more` lacks. */
interface IgnoreExports {
  ignore_clear(): void;
  ignore_add(folderBytes: number, nameBytes: number): void;
  ignore_excluded(): number;
}

/** The part of `WebAssembly` that is used here, which Node's types do not declare. */
interface WasmApi {
  instantiate(module: Uint8Array, imports: object): Promise<{ instance: { exports: unknown } }>;
  readonly Module: new (module: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** A compiled module. Threads can share it. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module';
}

const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly;

/**
 * The extraction of source code, and the rules of ignore files: `pkg/code/limbic_code.wasm`, which imports nothing.
 * `pkg/code-more/limbic_code_more.wasm` extracts the languages that most projects do not have, and has no ignore rules.
 *
 * An exception of a method is a trap: the instance is in an unknown state and must be discarded, and the file that
 * caused it not be tried again.
 */
export class CodeModule {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** Compiles the module and creates an instance of it. */
  static async load(module: Uint8Array): Promise<CodeModule> {
    const { instance } = await wasm.instantiate(module, {});
    return new CodeModule(instance.exports as Exports);
  }

  /** Compiles the module synchronously, for a worker: a page's main thread may not do that. */
  static compile(module: Uint8Array): CompiledModule {
    return new wasm.Module(module) as CompiledModule;
  }

  /** Creates an instance of a compiled module. */
  static instantiate(module: CompiledModule): CodeModule {
    return new CodeModule(new wasm.Instance(module, {}).exports as Exports);
  }

  /** The version of the facts. Facts of another version must be extracted again. */
  get factsVersion(): number {
    return this.#exports.code_facts_version();
  }

  /** Bytes of WebAssembly memory that the instance holds. Memory never shrinks: discard the instance to free it. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Whether the file is in a language whose grammar only the module `code-more` has. */
  needsMore(path: string, content: Uint8Array): boolean {
    const name = this.#encoder.encode(path);
    this.#give(name, content);
    return this.#exports.code_needs_more(name.length) !== 0;
  }

  /** Extracts the facts of a file. `path` is relative to the project, with `/`. Returns postcard, a list of one. */
  extract(path: string, content: Uint8Array): Uint8Array {
    const name = this.#encoder.encode(path);
    this.#give(name, content);
    return this.#take(this.#exports.code_extract(name.length));
  }

  /** The functions of ignore rules; fails for the module that has none. */
  get #rules(): IgnoreExports {
    return this.#exports as IgnoreExports;
  }

  /** Clears all ignore rules. */
  clearRules(): void {
    this.#rules.ignore_clear();
  }

  /** Adds the rules of the ignore file `name` of a folder, whose path is relative to the project. */
  addRules(folder: string, name: string, content: Uint8Array): void {
    const parts = [this.#encoder.encode(folder), this.#encoder.encode(name)] as const;
    this.#give(...parts, content);
    this.#rules.ignore_add(parts[0].length, parts[1].length);
  }

  /**
   * Whether the rules exclude paths: each is followed by a NUL character, a folder's by `/` and NUL. Returns a byte for
   * each, 1 if it is excluded.
   */
  excluded(paths: string): Uint8Array {
    this.#give(this.#encoder.encode(paths));
    return this.#take(this.#rules.ignore_excluded());
  }

  /** Writes the parts into the input buffer, one after the other. */
  #give(...parts: readonly Uint8Array[]): void {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const address = this.#exports.code_input(bytes) >>> 0;
    // Taken after the call: growing the memory replaces its buffer.
    const input = new Uint8Array(this.#exports.memory.buffer, address, bytes);
    let offset = 0;
    for (const part of parts) {
      input.set(part, offset);
      offset += part.length;
    }
  }

  /** Copies this number of bytes of the output. */
  #take(length: number): Uint8Array {
    const bytes = length >>> 0;
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.code_output() >>> 0, bytes).slice();
  }
}
