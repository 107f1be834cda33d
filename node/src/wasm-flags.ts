/**
 * How V8 compiles WebAssembly modules. Its flags concern the whole process. The library sets none of these, only the
 * one in `worker-thread.ts` that has to be set while a thread ends.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * About how many bytes of a function's code are executed before it is optimized. It is the default of newer versions of
 * V8; that of Node 20 is a seventh.
 */
const TIERING_BUDGET = 13_000_000;

/**
 * The same for functions of the core. SQLite's interpreter is one function of 100 KB, and V8 counts each jump back to
 * its start as if all bytes between were executed. With {@link TIERING_BUDGET}, V8 optimizes it before the first write,
 * which takes 0.2 s of a processor that other threads need.
 */
const CORE_TIERING_BUDGET = 500_000_000;

/**
 * Makes V8 validate each function when it is first called, as it compiles it, instead of the whole module when it is
 * loaded. Call this before the first module is loaded, and after threads have started: V8 uses its cache of Node's own
 * code only with the flags that the process began with, and without it a thread starts 25 ms later.
 */
export function validateOnDemand(): void {
  setFlagsFromString('--wasm-lazy-validation');
}

/** As {@link validateOnDemand}, and runs `load`, which creates the core's module, for a process that serves. */
export function loadCoreToServe<T>(load: () => T): T {
  validateOnDemand();
  setFlagsFromString(`--wasm-tiering-budget=${CORE_TIERING_BUDGET}`);
  try {
    return load();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  }
}

/**
 * Makes V8 optimize one function at a time. A large one takes up to 20 MB meanwhile, of which glibc keeps a part for
 * each of V8's threads: without this, indexing source code takes up to 25 MB more.
 */
export function optimizeInTurn(): void {
  setFlagsFromString('--wasm-num-compilation-tasks=1');
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
