import type { Core } from 'limbic-pkg/core/limbic_core.js';
import type { KnownFailure } from 'limbic-shell/failure.ts';
import { guarded } from './guarded.ts';

/** The dependencies of the indexer. */
export interface IndexerEnds {
  /** The open core, unless a call is being run or there is none. */
  readonly idleCore: () => Core | undefined;
  /** Lets waiting messages be handled first. */
  readonly turnOfLoop: () => Promise<void>;
  /** Called when nothing remains to be done for now. */
  readonly done: () => void;
  /** Called when the module has trapped. */
  readonly trapped: (error: unknown) => void;
  /** Called with the reason why the index is paused. */
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

  /** Starts indexing if there is something to do. */
  wake(): void {
    if (this.#isRunning || this.#isStopped || this.#ends.idleCore() === undefined) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Stops indexing permanently; {@link Indexer.drain} still works. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Indexes until nothing remains, or until another server does the rest. `open` returns the core or throws its error.
   */
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
    guarded(work, { trapped: this.#ends.trapped, failed: this.#ends.waits });
  }
}
