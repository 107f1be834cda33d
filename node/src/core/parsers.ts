/** The modules that parse source code and evaluate ignore rules, loaded when they are first used. */
import { CodeModule, type CompiledModule } from 'limbic-shell/code-module.ts';
import { readLarge } from '../large-file.ts';
import { withoutOptimizing } from '../wasm-flags.ts';

/** The paths of the modules. */
export interface ParserFiles {
  /** The module that parses most files and evaluates ignore rules. */
  readonly wasm: string;
  /** The module for other languages. */
  readonly wasmMore: string;
  /** The first module, if another thread has compiled it: it is neither read nor kept twice. */
  readonly compiled?: CompiledModule | undefined;
}

const FAILED = 'the parser failed';
const RULES_FAILED = 'the ignore rules cannot be evaluated';

/** Both modules in one thread. */
export class Parsers {
  readonly #first: Parser;
  readonly #more: Parser;

  constructor({ wasm, wasmMore, compiled }: ParserFiles) {
    this.#first = new Parser(() => compiled ?? CodeModule.compile(readLarge(wasm)));
    this.#more = new Parser(() => withoutOptimizing(() => CodeModule.compile(readLarge(wasmMore))));
  }

  /** The first module, for other threads; `undefined` until it is used. */
  get compiled(): CompiledModule | undefined {
    return this.#first.compiled;
  }

  /**
   * Extracts the facts of a file.
   *
   * @throws if a module cannot be loaded, or traps.
   */
  extract(path: string, content: Uint8Array): Uint8Array {
    const parser = this.needsMore(path, content) ? this.#more : this.#first;
    return parser.use(FAILED, (module) => module.extract(path, content));
  }

  /**
   * Whether a file is in a language whose grammar only the second module has.
   *
   * @throws if the first module cannot be loaded, or traps.
   */
  needsMore(path: string, content: Uint8Array): boolean {
    return this.#first.use(FAILED, (module) => module.needsMore(path, content));
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

  /** Releases the memory of the modules, which grows with the largest file. The next use loads them again. */
  rest(): void {
    this.#first.rest();
    this.#more.rest();
  }
}

/** A module that is loaded when it is first used. */
class Parser {
  readonly #compile: () => CompiledModule;
  #compiled: CompiledModule | undefined;
  #module: CodeModule | undefined;

  constructor(compile: () => CompiledModule) {
    this.#compile = compile;
  }

  get compiled(): CompiledModule | undefined {
    return this.#compiled;
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
    this.#compiled = undefined;
    this.#module = undefined;
  }

  #loaded(): CodeModule {
    try {
      this.#compiled ??= this.#compile();
      return (this.#module ??= CodeModule.instantiate(this.#compiled));
    } catch (error) {
      throw new Error(`the parser cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
