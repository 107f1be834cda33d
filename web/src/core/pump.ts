import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from './failure.ts';
import type { Encoded, EncoderLink } from './encoder-link.ts';

/** Another tab may have left something to encode, and may be gone. */
const POLL_MILLIS = 5000;
const BATCH_MAX = 8;
/** A search may have to wait for the batch that is being encoded, so batches are kept about this short. */
const BATCH_MILLIS = 60;
/** After so many batches that did not shorten the queue, it is left alone until something happens. */
const VAIN_BATCHES_MAX = 3;

interface PumpEnds {
  /** The open core, unless a request is being run or there is none. */
  readonly idleCore: () => Core | undefined;
  /** Resolves when no request is being run. */
  readonly whenIdle: () => Promise<void>;
  readonly trapped: (error: unknown) => void;
  readonly told: (pending: number) => void;
}

/** Works the embedding queue off while no request is to be run. */
export class Pump {
  readonly #link: EncoderLink;
  readonly #ends: PumpEnds;
  #isRunning = false;
  #isStopped = false;
  #batch = 1;
  #announced: { core?: Core; name?: string } = {};

  constructor(link: EncoderLink, ends: PumpEnds) {
    this.#link = link;
    this.#ends = ends;
    link.onready = () => this.wake();
    setInterval(() => this.wake(), POLL_MILLIS);
  }

  /** Looks whether there is something to do. */
  wake(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Touches the database never again. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    try {
      let least = Number.POSITIVE_INFINITY;
      for (let vain = 0; vain < VAIN_BATCHES_MAX; ) {
        await turnOfLoop();
        const core = this.#ends.idleCore();
        if (core === undefined || this.#isStopped || this.#link.name === undefined) return;
        this.#announce(core, this.#link.name);
        const tasks = core.pending(this.#batch);
        if (tasks.length === 0) return;
        const encoded = await this.#encode(tasks);
        await this.#ends.whenIdle();
        if (encoded === undefined || this.#isStopped || core !== this.#ends.idleCore()) return;
        const outstanding = core.store_vectors(encoded.encodings, encoded.encoder);
        this.#ends.told(outstanding);
        vain = outstanding < least ? 0 : vain + 1;
        least = Math.min(least, outstanding);
      }
    } catch (error) {
      if (knownFailure(error) === undefined) this.#ends.trapped(error);
    }
  }

  /** The core must know whose vectors it will get and compare: those of another encoder are made again. */
  #announce(core: Core, name: string): void {
    if (core === this.#announced.core && name === this.#announced.name) return;
    this.#ends.told(core.store_vectors(new Uint8Array(0), name));
    this.#announced = { core, name };
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
}

/** Lets messages that have arrived come first. */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
