/** How V8 compiles WebAssembly modules. Its flags concern the whole process, so that the library must not set them. */
import { setFlagsFromString } from 'node:v8';

/**
 * About how many bytes of a function's code are executed before it is optimized. It is the default of newer versions of
 * V8; with that of Node 20, a seventh, optimizing the functions that create a database takes more time than running
 * them.
 */
const TIERING_BUDGET = 13_000_000;

/**
 * Makes V8 validate each function when it is first called, as it compiles it, instead of the whole module when it is
 * loaded. Call this before the first module is loaded.
 */
export function validateOnDemand(): void {
  setFlagsFromString('--wasm-lazy-validation');
}

/** As {@link validateOnDemand}, and optimizes functions later, for a process that serves. */
export function compileOnDemand(): void {
  validateOnDemand();
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
}

/**
 * Runs `load`, which creates a module, so that V8 never optimizes the module's functions: optimizing the lexer of Swift
 * takes seconds to minutes, which the end of the process would wait for. In exchange, indexing 11 MB of source takes a
 * tenth more CPU time; 1 MB takes less. Newer versions of V8 optimize the functions all the same, because they read the
 * flag when they compile a function.
 */
export function withoutOptimizing<T>(load: () => T): T {
  // Else all functions of the module would be optimized at once. Of other modules, the flag concerns none.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return load();
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
