import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { type KnownFailure, knownFailure } from 'limbic-shell/failure.ts';

/** What the indexer needs of its thread. */
export interface IndexerEnds {
  /** The open core, unless a call is being run or there is none. */
  readonly idleCore: () => Core | undefined;
  /** Lets messages that have arrived come first. */
  readonly turnOfLoop: () => Promise<void>;
  /** Nothing is left to do for now. */
  readonly done: () => void;
  /** The module broke. */
  readonly trapped: (error: unknown) => void;
  /** The index waits for this reason. */
  readonly waits: (failure: KnownFailure) => void;
}

/** Indexes source code in steps while no call is to be run. The thread wakes it after calls and from time to time. */
export class Indexer {
  readonly #ends: IndexerEnds;
  #isRunning = false;
  #isStopped = false;

  constructor(ends: IndexerEnds) {
    this.#ends = ends;
  }

  /** Looks whether there is something to do. */
  wake(): void {
    if (this.#isRunning || this.#isStopped || this.#ends.idleCore() === undefined) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Works by itself never again. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Indexes until nothing is left, or what is left is another server's. `open` gives the core or throws what it says. */
  drain(open: () => Core): void {
    this.#guarded(() => {
      const core = open();
      while (core.index_step()) {}
    });
  }

  async #run(): Promise<void> {
    let goesOn = true;
    while (goesOn) {
      await this.#ends.turnOfLoop();
      const core = this.#ends.idleCore();
      if (core === undefined || this.#isStopped) return;
      goesOn = false;
      this.#guarded(() => {
        goesOn = core.index_step();
      });
    }
    this.#ends.done();
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) this.#ends.trapped(error);
      else this.#ends.waits(failure);
    }
  }
}
