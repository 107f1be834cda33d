import type { CoreThread } from './core-thread.ts';

/** How long calls that were read may still take when the client has only ended its side. */
const INPUT_END_GRACE_MILLIS = 10_000;
/** The same after a signal: whoever sent it waits. */
const SIGNAL_GRACE_MILLIS = 2000;
/** How long the call that is being run may take after that. What it has begun is undone by the next to open the file. */
const RUNNING_CALL_GRACE_MILLIS = 1000;

/** A way by which clients come. */
export interface Listener {
  /** Takes nothing more; what was taken is still answered. */
  stop(): void;
  /** Waits until the answers have left. */
  drained(): Promise<void>;
}

/**
 * Ends the server at SIGTERM, SIGINT and SIGHUP, or when it is told to: calls that were read are run and answered, the database is
 * closed, the exit code is 0. A second signal ends it at once.
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

  /** A door to be closed in the end. */
  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** The client for whom the server was started has ended its side. */
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
    await this.#core.close();
    // The answers leave through promises of the SDK: let them run, then wait for the doors.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(this.#listeners.map((listener) => listener.drained()));
    process.exit(0);
  }

  #exitAfter(millis: number): void {
    setTimeout(() => this.#core.abortPending(), millis).unref();
    setTimeout(() => process.exit(0), millis + RUNNING_CALL_GRACE_MILLIS).unref();
  }
}

/** The door of the client on stdio: closed with its input, empty when the client has taken what was written. */
export function stdioListener(transport: { stop(): void }): Listener {
  return {
    stop: () => transport.stop(),
    drained() {
      if (process.stdout.writableLength === 0) return Promise.resolve();
      return new Promise((resolve) => {
        process.stdout.once('drain', resolve);
        process.stdout.once('error', () => resolve());
      });
    },
  };
}
