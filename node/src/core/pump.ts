import { setImmediate as turnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from '../failure.ts';
import { log } from '../log.ts';
import type { Database } from './database.ts';
import type { Encoded, EncoderLink } from './encoder-link.ts';

/** Another server on the file may have left something to encode, and may be gone. */
const POLL_MILLIS = 2000;
const BATCH_MAX = 8;
/** A search may have to wait for the batch that is being encoded, so batches are kept about this short. */
const BATCH_MILLIS = 60;
/** What was just answered is sent first: work that begins at once competes with it for the processor. */
const REST_MILLIS = 5;
/** After so many batches that did not shorten the queue, it is left alone until something happens. */
const VAIN_BATCHES_MAX = 3;

/** Works the embedding queue off while no call is to be run. */
export class Pump {
  readonly #database: Database;
  readonly #link: EncoderLink;
  readonly #trapped: (error: unknown) => void;
  #isRunning = false;
  #isStopped = false;
  #pauses = true;
  #resumed: () => void = () => {};
  #batch = 1;
  #told: { core?: Core; name?: string } = {};

  constructor(database: Database, link: EncoderLink, trapped: (error: unknown) => void) {
    this.#database = database;
    this.#link = link;
    this.#trapped = trapped;
    link.onready = () => this.#wake();
    setInterval(() => this.#wake(), POLL_MILLIS).unref();
  }

  /** Touches the database no more until it is resumed. */
  pause(): void {
    this.#pauses = true;
  }

  /** Goes on. */
  resume(): void {
    this.#pauses = false;
    this.#resumed();
    this.#wake();
  }

  /** Touches the database never again. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Works the queue off at once, as far as it can be. */
  async drain(): Promise<void> {
    await this.#link.whenSettled();
    try {
      const core = this.#database.open();
      const queue = new Progress();
      while (queue.moves) {
        this.#announce(core);
        const tasks = this.#link.isReady ? core.pending(BATCH_MAX) : new Uint8Array(0);
        if (tasks.length === 0) return;
        const encoded = await this.#link.encode(tasks);
        if (encoded === undefined) await this.#link.whenSettled();
        else queue.note(core.store_vectors(encoded.encodings, encoded.encoder));
      }
    } catch (error) {
      this.#tell(error);
    }
  }

  #wake(): void {
    if (this.#isRunning || this.#pauses || this.#isStopped) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    try {
      const queue = new Progress();
      await sleep(REST_MILLIS);
      while (queue.moves) {
        // Messages that have arrived come first: they pause the pump.
        await turnOfLoop();
        const core = this.#database.current;
        if (core === undefined || this.#pauses || this.#isStopped || !this.#link.isReady) return;
        this.#announce(core);
        const tasks = core.pending(this.#batch);
        if (tasks.length === 0) return;
        const encoded = await this.#encode(tasks);
        await this.#turn();
        if (encoded === undefined || this.#isStopped) return;
        queue.note(core.store_vectors(encoded.encodings, encoded.encoder));
      }
    } catch (error) {
      if (knownFailure(error) === undefined) this.#trapped(error);
      else this.#tell(error);
    }
  }

  /** The core must know whose vectors it will get and compare: those of another encoder are made again. */
  #announce(core: Core): void {
    const name = this.#link.name;
    if (name === undefined || (core === this.#told.core && name === this.#told.name)) return;
    core.store_vectors(new Uint8Array(0), name);
    this.#told = { core, name };
  }

  async #encode(tasks: Uint8Array): Promise<Encoded | undefined> {
    const startMillis = performance.now();
    const encoded = await this.#link.encode(tasks);
    const millis = performance.now() - startMillis;
    if (encoded === undefined) this.#batch = 1;
    else if (millis < BATCH_MILLIS / 2) this.#batch = Math.min(BATCH_MAX, this.#batch * 2);
    else if (millis > BATCH_MILLIS) this.#batch = Math.max(1, Math.floor(this.#batch / 2));
    return encoded;
  }

  /** Waits until no call is to be run. */
  async #turn(): Promise<void> {
    while (this.#pauses && !this.#isStopped) {
      await new Promise<void>((resolve) => {
        this.#resumed = resolve;
      });
    }
  }

  #tell(error: unknown): void {
    const failure = knownFailure(error);
    if (failure === undefined) throw error;
    log(`the embedding queue waits: ${failure.error}`);
  }
}

/** Whether the queue gets shorter. */
class Progress {
  #least = Number.POSITIVE_INFINITY;
  #vain = 0;

  get moves(): boolean {
    return this.#vain < VAIN_BATCHES_MAX;
  }

  note(outstanding: number): void {
    this.#vain = outstanding < this.#least ? 0 : this.#vain + 1;
    this.#least = Math.min(this.#least, outstanding);
  }
}
