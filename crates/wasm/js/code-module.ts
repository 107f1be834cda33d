/** What the module exports; see `crates/wasm/code/src/lib.rs`. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  code_input(bytes: number): number;
  code_extract(pathBytes: number): number;
  code_output(): number;
  code_facts_version(): number;
}

/** What is used of `WebAssembly`, which the types of Node do not declare. */
interface WasmApi {
  instantiate(module: Uint8Array, imports: object): Promise<{ instance: { exports: unknown } }>;
}

const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly;

/**
 * The extraction of source code: `pkg/code/limbic_code.wasm`, which imports nothing.
 *
 * An exception of `extract` is a trap: the instance is in an unknown state and must be discarded, and the file that
 * caused it not be tried again.
 */
export class CodeModule {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** Compiles the module and makes an instance of it. */
  static async load(module: Uint8Array): Promise<CodeModule> {
    const { instance } = await wasm.instantiate(module, {});
    return new CodeModule(instance.exports as Exports);
  }

  /** The version of the facts. Facts of another version must be extracted again. */
  get factsVersion(): number {
    return this.#exports.code_facts_version();
  }

  /** Bytes of WebAssembly memory that the instance holds. Memory never shrinks: discard the instance to free it. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Extracts the facts of a file. `path` is relative to the project, with `/`. Returns postcard, a list of one. */
  extract(path: string, content: Uint8Array): Uint8Array {
    const name = this.#encoder.encode(path);
    const address = this.#exports.code_input(name.length + content.length) >>> 0;
    // Taken after the call: growing the memory replaces its buffer.
    const input = new Uint8Array(this.#exports.memory.buffer, address, name.length + content.length);
    input.set(name);
    input.set(content, name.length);
    const length = this.#exports.code_extract(name.length) >>> 0;
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.code_output() >>> 0, length).slice();
  }
}
