import type { CoreThread } from './core-thread.ts';

/** How long calls that were read may still take when the client has only ended its side. */
const END_PATIENCE_MILLIS = 10_000;
/** The same after a signal: whoever sent it waits. */
const SIGNAL_PATIENCE_MILLIS = 2000;
/** How long the call that is being run may take after that. What it has begun is undone by the next to open the file. */
const LAST_CALL_MILLIS = 1000;

/** A way by which clients come. */
export interface Door {
  /** Takes nothing more; what was taken is still answered. */
  stop(): void;
  /** Waits until the answers have left. */
  emptied(): Promise<void>;
}

/**
 * Ends the server at SIGTERM, SIGINT and SIGHUP, or when it is told to: calls that were read are run and answered, the database is
 * closed, the exit code is 0. A second signal ends it at once.
 */
export class Shutdown {
  readonly #core: CoreThread;
  readonly #doors: Door[] = [];
  #signals = 0;
  #isStopping = false;

  constructor(core: CoreThread) {
    this.#core = core;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => this.#signalled());
  }

  /** A door to be closed in the end. */
  add(door: Door): void {
    this.#doors.push(door);
  }

  /** The client for whom the server was started has ended its side. */
  clientLeft(): void {
    this.#giveUpAfter(END_PATIENCE_MILLIS);
    void this.#stop();
  }

  #signalled(): void {
    this.#signals += 1;
    if (this.#signals > 1) process.exit(1);
    this.#giveUpAfter(SIGNAL_PATIENCE_MILLIS);
    void this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const door of this.#doors) door.stop();
    await this.#core.close();
    // The answers leave through promises of the SDK: let them run, then wait for the doors.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(this.#doors.map((door) => door.emptied()));
    process.exit(0);
  }

  #giveUpAfter(millis: number): void {
    setTimeout(() => this.#core.hurry(), millis).unref();
    setTimeout(() => process.exit(0), millis + LAST_CALL_MILLIS).unref();
  }
}

/** The door of the client on stdio: closed with its input, empty when the client has taken what was written. */
export function stdioDoor(transport: { stop(): void }): Door {
  return {
    stop: () => transport.stop(),
    emptied() {
      if (process.stdout.writableLength === 0) return Promise.resolve();
      return new Promise((resolve) => {
        process.stdout.once('drain', resolve);
        process.stdout.once('error', () => resolve());
      });
    },
  };
}
