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
