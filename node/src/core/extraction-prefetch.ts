/**
 * Extraction on other threads, of files that are needed soon: `prefetch.rs` of `limbic-code-disk` for WebAssembly.
 *
 * The core's thread hands over the files of its next step, and takes the facts there. It extracts those that no thread
 * has begun itself, so that it waits for one file at most.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { endThread, startThread } from '../worker-thread.ts';
import type { ParserFiles } from './parsers.ts';

/** Maximum number of threads: each has instances of the modules and a heap of its own. */
const MAX_THREADS = 2;
/** Time after which the facts of a file that a thread has begun are no longer awaited. */
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
  /** See {@link SHARED}. */
  readonly shared: Int32Array;
}

/** The files of a step. */
export interface Round {
  readonly round: number;
  readonly paths: readonly string[];
  /** The contents, in shared memory. */
  readonly contents: readonly Uint8Array[];
  /** For each file, 1 if a thread has begun it. */
  readonly begun: Int32Array;
}

/** The facts of a file; `undefined` if it cannot be parsed. */
export interface Extracted {
  readonly round: number;
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
}

/** Files that other threads extract. */
export class ExtractionPrefetch {
  readonly #files: () => ParserFiles;
  readonly #count = Math.min(availableParallelism() - 1, MAX_THREADS);
  readonly #shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  /** Shared memory for contents, used in turns: two steps are kept. */
  readonly #memories: [SharedArrayBuffer, SharedArrayBuffer] = [new SharedArrayBuffer(0), new SharedArrayBuffer(0)];
  #threads: readonly Thread[] = [];
  /** The files of the last two steps. */
  #steps: readonly Step[] = [];

  /** @param files the modules, which are asked for when threads are started. */
  constructor(files: () => ParserFiles) {
    this.#files = files;
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
    const begun = new Int32Array(new SharedArrayBuffer(Math.max(1, paths.length) * Int32Array.BYTES_PER_ELEMENT));
    const message: Round = { round, paths, contents, begun };
    const indexes = new Map(paths.map((path, index) => [path, index]));
    this.#steps = [...this.#steps.slice(-1), { ...message, indexes, facts: new Map() }];
    if (paths.length === 0) return;
    if (this.#threads.length === 0) {
      const files = this.#files();
      this.#threads = Array.from({ length: this.#count }, () => this.#start(files));
    }
    for (const { port } of this.#threads) port.postMessage(message);
  }

  /** Returns the facts of a file; `undefined` if they were not prepared for this content. */
  take(path: string, content: Uint8Array): Uint8Array | undefined {
    const step = this.#steps.findLast(({ indexes }) => indexes.has(path));
    const index = step?.indexes.get(path);
    if (step === undefined || index === undefined) return undefined;
    // Nobody sends the facts again.
    step.indexes.delete(path);
    // Else a thread has begun it.
    if (Atomics.compareExchange(step.begun, index, 0, 1) === 0) return undefined;
    if (Buffer.compare(step.contents[index] ?? new Uint8Array(), content) !== 0) return undefined;
    const until = performance.now() + MAX_WAIT_MILLIS;
    for (;;) {
      const sent = Atomics.load(this.#shared, SHARED.sent);
      this.#receive();
      if (step.facts.has(index)) break;
      const left = until - performance.now();
      if (left <= 0) {
        this.end();
        return undefined;
      }
      Atomics.wait(this.#shared, SHARED.sent, sent, left);
    }
    const facts = step.facts.get(index);
    step.facts.delete(index);
    return facts;
  }

  /** Ends the threads, with their memory. */
  end(): void {
    for (const { worker } of this.#threads) void endThread(worker);
    this.#threads = [];
    this.#steps = [];
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

  #start(files: ParserFiles): Thread {
    const { port1, port2 } = new MessageChannel();
    const settings: ExtractionSettings = { ...files, port: port2, shared: this.#shared };
    const worker = startThread('extraction-worker.js', settings, [port2]);
    // A failure is seen where facts are awaited. The thread must not keep the process alive.
    worker.on('error', () => {});
    worker.unref();
    return { worker, port: port1 };
  }

  #receive(): void {
    for (const { port } of this.#threads) {
      for (;;) {
        const received = receiveMessageOnPort(port) as { readonly message: Extracted } | undefined;
        if (received === undefined) break;
        const { round, index, facts } = received.message;
        this.#steps.find((step) => step.round === round)?.facts.set(index, facts);
      }
    }
  }
}
