import type { CoreThread } from './core-thread.ts';
import type { Write } from './stdio.ts';

/** Time for the outstanding calls after the end of the input. */
const INPUT_END_GRACE_MILLIS = 10_000;
/** Time for the outstanding calls after a signal. */
const SIGNAL_GRACE_MILLIS = 2000;
/** Further time for the running call. If it does not complete, the next process to open the file rolls it back. */
const RUNNING_CALL_GRACE_MILLIS = 1000;

/** Time in which the last answers, which pass through promises of the SDK, are sent. */
const SENDING_MILLIS = 50;

/** A transport through which clients connect. */
export interface Listener {
  /** Accepts no more requests; accepted ones are still answered. */
  stop(): void;
  /** Resolves when all answers have been sent. */
  drained(): Promise<void>;
}

/**
 * Ends the server on SIGTERM, SIGINT and SIGHUP, or on request: runs and answers the calls that were read, closes the
 * database and exits with 0. A second signal exits immediately.
 */
export class Shutdown {
  readonly #core: CoreThread;
  readonly #listeners: Listener[] = [];
  #signals = 0;
  #isStopping = false;

  constructor(core: CoreThread) {
    this.#core = core;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => this.#onSignal());
  }

  /** Adds a listener to stop at shutdown. */
  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Starts the shutdown: the client on stdio has closed its input. */
  clientDisconnected(): void {
    this.#exitAfter(INPUT_END_GRACE_MILLIS);
    void this.#stop();
  }

  #onSignal(): void {
    this.#signals += 1;
    if (this.#signals > 1) process.exit(1);
    this.#exitAfter(SIGNAL_GRACE_MILLIS);
    void this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const listener of this.#listeners) listener.stop();
    do {
      await this.#core.close();
      // Answers are sent through promises of the SDK: let them run. After an answer, a request may ask the core again.
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#core.isBusy);
    await Promise.all(this.#listeners.map((listener) => listener.drained()));
    // A request that was read in the meantime has opened the database again.
    await this.#core.close();
    process.exit(0);
  }

  #exitAfter(millis: number): void {
    setTimeout(() => this.#core.abortPending(), millis).unref();
    setTimeout(() => {
      this.#core.refuseRest();
      setTimeout(() => process.exit(0), SENDING_MILLIS).unref();
    }, millis + RUNNING_CALL_GRACE_MILLIS).unref();
  }
}

/**
 * The listener on stdio; it is drained when the client has read all output.
 *
 * @param write writes to the client.
 * @param end ends the client's open subscriptions.
 */
export function stdioListener(transport: { stop(): void }, write: Write, end: () => Promise<void>): Listener {
  return {
    stop: () => transport.stop(),
    async drained() {
      await end();
      // Not `drain`: a stream emits it only if more was pending than it likes to hold.
      await new Promise<void>((resolve) => {
        write('', resolve);
      });
    },
  };
}
