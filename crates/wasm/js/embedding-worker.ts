import type { Core } from 'limbic-pkg/core/limbic_core.js';
import type { Encoded, EncoderLink } from './encoder-link.ts';
import { type KnownFailure, knownFailure } from './failure.ts';

const MAX_BATCH = 8;
/** Target duration of a batch, because a search may have to wait for it. */
const BATCH_MILLIS = 60;
/** Maximum number of consecutive batches that do not shorten the queue; then the worker pauses until it is woken. */
const MAX_VAIN_BATCHES = 3;

/** The shell's functions that the embedding worker uses. */
export interface EmbeddingWorkerShell {
  /** The open core, unless a call is being run or there is none. */
  readonly idleCore: () => Core | undefined;
  /** Resolves when no call is being run. */
  readonly whenIdle: () => Promise<void>;
  /** Waits before the first batch, so that the last answer is sent first. */
  readonly rest: () => Promise<void>;
  /** Lets waiting messages be handled first. */
  readonly turnOfLoop: () => Promise<void>;
  /** Called when the module has trapped. */
  readonly trapped: (error: unknown) => void;
  /** Called with the reason why the queue is paused. */
  readonly waits: (failure: KnownFailure) => void;
  /** Called with the length of the queue. */
  readonly left: (count: number) => void;
}

/**
 * Processes the embedding queue while no call is to be run. The shell wakes it from time to time, because another
 * program on the same database may have added entries and exited.
 */
export class EmbeddingWorker {
  readonly #link: EncoderLink;
  readonly #shell: EmbeddingWorkerShell;
  #isRunning = false;
  #isStopped = false;
  #batch = 1;
  #announced: { core?: Core; name?: string } = {};

  constructor(link: EncoderLink, shell: EmbeddingWorkerShell) {
    this.#link = link;
    this.#shell = shell;
    link.onready = () => this.wake();
  }

  /** Starts the worker if the queue has entries. */
  wake(): void {
    if (this.#isRunning || this.#isStopped || this.#shell.idleCore() === undefined) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Stops the worker permanently; {@link EmbeddingWorker.drain} still works. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Processes the queue at once, as far as possible. `open` returns the core that is open at the time, or throws its
   * error.
   */
  async drain(open: () => Core): Promise<void> {
    await this.#link.whenLoadingEnded();
    try {
      const queue = new Progress();
      while (queue.moves) {
        const core = open();
        this.#announce(core);
        const tasks = this.#link.name === undefined ? new Uint8Array(0) : core.pending(MAX_BATCH);
        if (tasks.length === 0) return;
        const encoded = await this.#link.encode(tasks);
        if (encoded === undefined) await this.#link.whenLoadingEnded();
        else queue.note(open().store_vectors(encoded.encodings, encoded.encoder));
      }
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) throw error;
      this.#shell.waits(failure);
    }
  }

  async #run(): Promise<void> {
    try {
      const queue = new Progress();
      await this.#shell.rest();
      while (queue.moves) {
        await this.#shell.turnOfLoop();
        const core = this.#shell.idleCore();
        if (core === undefined || this.#isStopped || this.#link.name === undefined) return;
        this.#announce(core);
        const tasks = core.pending(this.#batch);
        if (tasks.length === 0) return;
        const encoded = await this.#encode(tasks);
        await this.#shell.whenIdle();
        if (encoded === undefined || this.#isStopped || core !== this.#shell.idleCore()) return;
        const outstanding = core.store_vectors(encoded.encodings, encoded.encoder);
        this.#shell.left(outstanding);
        queue.note(outstanding);
      }
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) this.#shell.trapped(error);
      else this.#shell.waits(failure);
    }
  }

  /** Announces the encoder to the core: vectors of another encoder are computed again. */
  #announce(core: Core): void {
    const { name } = this.#link;
    if (name === undefined || (core === this.#announced.core && name === this.#announced.name)) return;
    this.#shell.left(core.store_vectors(new Uint8Array(0), name));
    this.#announced = { core, name };
  }

  async #encode(tasks: Uint8Array): Promise<Encoded | undefined> {
    const startMillis = performance.now();
    const encoded = await this.#link.encode(tasks);
    const millis = performance.now() - startMillis;
    if (encoded === undefined) this.#batch = 1;
    else if (millis < BATCH_MILLIS / 2) this.#batch = Math.min(MAX_BATCH, this.#batch * 2);
    else if (millis > BATCH_MILLIS) this.#batch = Math.max(1, Math.floor(this.#batch / 2));
    return encoded;
  }
}

/** Whether the queue gets shorter. */
class Progress {
  #fewest = Number.POSITIVE_INFINITY;
  #vain = 0;

  get moves(): boolean {
    return this.#vain < MAX_VAIN_BATCHES;
  }

  note(outstanding: number): void {
    this.#vain = outstanding < this.#fewest ? 0 : this.#vain + 1;
    this.#fewest = Math.min(this.#fewest, outstanding);
  }
}
