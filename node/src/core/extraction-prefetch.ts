/**
 * Extraction on other threads, of files that are needed soon: `prefetch.rs` of `limbic-code-disk` for WebAssembly.
 *
 * The core's thread hands over the files of its next step, and takes the facts there. It extracts those that no thread
 * has begun itself, also while it would wait for one, and begins with the last ones, which the threads reach last.
 * Files for the second module are extracted by the first thread alone, and awaited: an instance of it takes 24 MB, and
 * as much again while it is loaded. If that thread does not answer, the core's thread extracts them from then on.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { endThread, INDEXING_LIMITS, startThread } from '../worker-thread.ts';
import type { ParserFiles, Parsers } from './parsers.ts';

/** Maximum number of threads: each has instances of the modules and a heap of its own. */
const MAX_THREADS = 2;
/** Time after which the facts of a file are no longer awaited. */
const MAX_WAIT_MILLIS = 10_000;
/** Shared memory is a multiple of this, so that steps of about the same size fit into it. */
const MEMORY_STEP_BYTES = 1 << 18;

/** The indexes of what the threads share. */
export const SHARED = {
  /** The number of results that were sent. */
  sent: 0,
  /** The number of the last round. */
  round: 1,
} as const;

/** What a thread is started with. */
export interface ExtractionSettings extends ParserFiles {
  readonly port: MessagePort;
  /** Steps of one file, for which the core's thread waits: they come before the next file of the other steps. */
  readonly urgent: MessagePort;
  /** See {@link SHARED}. */
  readonly shared: Int32Array;
  /** Whether the thread extracts the files for the second module. */
  readonly extractsMore: boolean;
}

/** The files of a step. */
export interface Round {
  readonly id: number;
  /** The number of the last step when it was handed over. */
  readonly round: number;
  readonly paths: readonly string[];
  /** The contents, in shared memory. */
  readonly contents: readonly Uint8Array[];
  /** For each file, 1 if a thread has begun it. */
  readonly begun: Int32Array;
  /** The indexes of the files for the second module. */
  readonly more: ReadonlySet<number>;
}

/** The facts of a file; `undefined` if it cannot be parsed. */
export interface Extracted {
  readonly id: number;
  readonly index: number;
  readonly facts: Uint8Array | undefined;
}

interface Step extends Round {
  /** The files that were not taken yet, by path. */
  readonly indexes: Map<string, number>;
  readonly facts: Map<number, Uint8Array | undefined>;
}

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly urgent: MessagePort;
}

/** Files that other threads extract. */
export class ExtractionPrefetch {
  readonly #files: () => ParserFiles;
  readonly #parsers: Parsers;
  readonly #count = Math.min(availableParallelism() - 1, MAX_THREADS);
  readonly #shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  /** Shared memory for contents, used in turns: two steps are kept. */
  readonly #memories: [SharedArrayBuffer, SharedArrayBuffer] = [new SharedArrayBuffer(0), new SharedArrayBuffer(0)];
  #threads: readonly Thread[] = [];
  /** The files of the last two steps. */
  #steps: readonly Step[] = [];
  /** The file of the last call of {@link ExtractionPrefetch.#single}. */
  #singleStep: Step | undefined;
  #lastId = 0;
  /** Whether the files for the second module are left to the first thread, which has always answered. */
  #leavesMore = true;

  /**
   * @param files the modules, which are asked for when threads are started.
   * @param parsers the modules of this thread, which recognise the files for the second module.
   */
  constructor(files: () => ParserFiles, parsers: Parsers) {
    this.#files = files;
    this.#parsers = parsers;
  }

  /** Whether any thread may be used. */
  get hasThreads(): boolean {
    return this.#count > 0;
  }

  /** Begins to extract files. Those of the call before the last that were not taken are dropped. */
  prepare(paths: readonly string[], lengths: Uint32Array, bytes: Uint8Array): void {
    // A thread that still reads a content of the dropped step has one in pieces: nobody takes its facts.
    const round = Atomics.add(this.#shared, SHARED.round, 1) + 1;
    const memory = this.#memory(round, bytes.length);
    memory.set(bytes);
    let end = 0;
    const contents = Array.from(lengths, (length) => memory.subarray(end, (end += length)));
    const more = new Set([...paths.keys()].filter((index) => this.#needsMore(paths[index], contents[index])));
    const step = this.#step(round, paths, contents, more);
    this.#steps = [...this.#steps.slice(-1), step];
    if (paths.length === 0) return;
    if (this.#threads.length === 0) {
      const files = this.#files();
      this.#threads = Array.from({ length: this.#count }, (_, index) => this.#start(files, index === 0));
    }
    for (const { port } of this.#threads) port.postMessage(roundOf(step));
  }

  /** Returns the facts of a file; `undefined` if they were not prepared for this content. */
  take(path: string, content: Uint8Array): Uint8Array | undefined {
    let step = this.#steps.findLast(({ indexes }) => indexes.has(path)) ?? this.#single(path, content);
    const index = step?.indexes.get(path);
    if (step === undefined || index === undefined) return undefined;
    // Nobody sends the facts again.
    step.indexes.delete(path);
    if (Buffer.compare(step.contents[index] ?? new Uint8Array(), content) !== 0) {
      Atomics.store(step.begun, index, 1);
      step = this.#single(path, content);
      return step === undefined ? undefined : this.#awaited(step, 0);
    }
    // Else a thread has begun it, or will.
    if (!step.more.has(index) && Atomics.compareExchange(step.begun, index, 0, 1) === 0) return undefined;
    return this.#awaited(step, index);
  }

  /** A step of a file for the second module that was not prepared, if there is a thread that has the module. */
  #single(path: string, content: Uint8Array): Step | undefined {
    if (this.#threads.length === 0 || !this.#needsMore(path, content)) return undefined;
    const shared = new Uint8Array(new SharedArrayBuffer(content.length));
    shared.set(content);
    const step = this.#step(Atomics.load(this.#shared, SHARED.round), [path], [shared], new Set([0]));
    this.#singleStep = step;
    this.#threads[0]?.urgent.postMessage(roundOf(step));
    return step;
  }

  #step(round: number, paths: readonly string[], contents: readonly Uint8Array[], more: ReadonlySet<number>): Step {
    const begun = new Int32Array(new SharedArrayBuffer(Math.max(1, paths.length) * Int32Array.BYTES_PER_ELEMENT));
    const indexes = new Map(paths.map((path, index) => [path, index]));
    return { id: ++this.#lastId, round, paths, contents, begun, more, indexes, facts: new Map() };
  }

  /** The facts of a file that a thread has begun or will begin; `undefined` if it fails or takes too long. */
  #awaited(step: Step, index: number): Uint8Array | undefined {
    const until = performance.now() + MAX_WAIT_MILLIS;
    for (;;) {
      const sent = Atomics.load(this.#shared, SHARED.sent);
      this.#receive();
      if (step.facts.has(index)) break;
      if (this.#extractLast()) continue;
      const left = until - performance.now();
      if (left <= 0) {
        this.#leavesMore &&= !step.more.has(index);
        this.end();
        return undefined;
      }
      Atomics.wait(this.#shared, SHARED.sent, sent, left);
    }
    const facts = step.facts.get(index);
    step.facts.delete(index);
    return facts;
  }

  /** Extracts the last file that no thread has begun, of the first step that has one. Returns whether there was one. */
  #extractLast(): boolean {
    for (const { paths, contents, begun, more, facts } of this.#steps) {
      for (let index = paths.length - 1; index >= 0; index--) {
        const [path, content] = [paths[index], contents[index]];
        if (path === undefined || content === undefined || more.has(index)) continue;
        if (Atomics.compareExchange(begun, index, 0, 1) !== 0) continue;
        facts.set(index, extractedBy(this.#parsers, path, content));
        return true;
      }
    }
    return false;
  }

  /** Ends the threads, with their memory. */
  end(): void {
    for (const { worker } of this.#threads) void endThread(worker);
    this.#threads = [];
    this.#steps = [];
    this.#singleStep = undefined;
    this.#memories.fill(new SharedArrayBuffer(0));
  }

  /** Shared memory for the contents of a round: that of the round before the last, if it is large enough. */
  #memory(round: number, bytes: number): Uint8Array {
    const turn = round % 2 === 0 ? 0 : 1;
    if (this.#memories[turn].byteLength < bytes) {
      this.#memories[turn] = new SharedArrayBuffer(Math.ceil(bytes / MEMORY_STEP_BYTES) * MEMORY_STEP_BYTES);
    }
    return new Uint8Array(this.#memories[turn], 0, bytes);
  }

  #needsMore(path: string | undefined, content: Uint8Array | undefined): boolean {
    try {
      return this.#leavesMore && path !== undefined && content !== undefined && this.#parsers.needsMore(path, content);
    } catch {
      // Extracting the file reports the failure.
      return false;
    }
  }

  #start(files: ParserFiles, extractsMore: boolean): Thread {
    const [steps, urgent] = [new MessageChannel(), new MessageChannel()];
    const ports = { port: steps.port2, urgent: urgent.port2 };
    const settings: ExtractionSettings = { ...files, ...ports, shared: this.#shared, extractsMore };
    const worker = startThread('extraction-worker.js', settings, {
      transferList: Object.values(ports),
      resourceLimits: INDEXING_LIMITS,
    });
    // A failure is seen where facts are awaited. The thread must not keep the process alive.
    worker.on('error', () => {});
    worker.unref();
    return { worker, port: steps.port1, urgent: urgent.port1 };
  }

  #receive(): void {
    for (const { port } of this.#threads) {
      for (;;) {
        const received = receiveMessageOnPort(port) as { readonly message: Extracted } | undefined;
        if (received === undefined) break;
        const { id, index, facts } = received.message;
        const steps = [...this.#steps, this.#singleStep];
        steps.find((step) => step?.id === id)?.facts.set(index, facts);
      }
    }
  }
}

/** The facts of a file; `undefined` if the parser fails, which the core's thread reports when it tries again. */
export function extractedBy(parsers: Parsers, path: string, content: Uint8Array): Uint8Array | undefined {
  try {
    return parsers.extract(path, content);
  } catch {
    return undefined;
  }
}

/** What a thread gets of a step. */
function roundOf({ id, round, paths, contents, begun, more }: Step): Round {
  return { id, round, paths, contents, begun, more };
}
