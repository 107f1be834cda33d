/** Starting and ending the threads that run WebAssembly modules. */
import { setFlagsFromString } from 'node:v8';
import { isMainThread, Worker, type WorkerOptions } from 'node:worker_threads';
import { writeError } from './log.ts';

/**
 * Limits for a thread that takes the facts of files while code is indexed: 3 MB for new objects instead of 48. A buffer
 * is freed when these are collected, and the facts, some 30 kB a file, would take 40 MB until then.
 */
export const INDEXING_LIMITS = { maxYoungGenerationSizeMb: 3 };

let guardsExit = false;
/** Threads that are being ended by this thread. */
let ending = 0;

/** Starts a thread that runs a module of this package. What it prints goes to standard error. */
export function startThread(
  module: string,
  workerData: unknown,
  given: Pick<WorkerOptions, 'transferList' | 'resourceLimits'> = {},
): Worker {
  if (!guardsExit) process.once('exit', stopCodeCollection);
  guardsExit = true;
  const options = { ...given, workerData, stdout: true, stderr: true };
  const worker = new Worker(new URL(module, import.meta.url), options);
  // Not by pipes, as Node does by default: each adds listeners to the program's stream, of which Node warns.
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.on('data', writeError);
  }
  return worker;
}

/** Ends a thread, also in the middle of a call. */
export async function endThread(worker: Worker): Promise<void> {
  stopCodeCollection();
  ending += 1;
  try {
    await worker.terminate();
  } finally {
    ending -= 1;
    // The flag is of the process. Other threads leave it as it is: the main thread may be ending one of its own.
    if (ending === 0 && isMainThread) setFlagsFromString('--wasm-code-gc');
  }
}

/**
 * Stops V8 from collecting compiled WebAssembly code. Else, when a background compiler replaces code while a thread
 * ends, V8 posts a task to the event loop of that thread, which Node has already closed: the process ends with SIGSEGV
 * (`uv_async_send` called by `WasmEngine::TriggerGC`; Node 20.20, about 1 of 700 exits under load).
 */
function stopCodeCollection(): void {
  setFlagsFromString('--no-wasm-code-gc');
}
