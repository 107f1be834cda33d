/** Detects changes of the database by other processes. */

/** Poll interval; changes are reported within a second. */
const POLL_MILLIS = 400;

/** Polls the database's version while it has subscribers. */
export class Watch {
  readonly #version: () => Promise<string | undefined>;
  readonly #changed: () => void;
  #subscribers = 0;
  #lastVersion: string | undefined;
  #firstPoll: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** @param version returns a value that changes with the database; `undefined` if it is not available. */
  constructor(version: () => Promise<string | undefined>, changed: () => void) {
    this.#version = version;
    this.#changed = changed;
  }

  /** Adds a subscriber. When this resolves, no later change is missed. */
  start(): Promise<void> {
    this.#subscribers += 1;
    if (this.#subscribers === 1) {
      this.#lastVersion = undefined;
      this.#firstPoll = this.#poll();
    }
    return this.#firstPoll;
  }

  /** Removes a subscriber. */
  stop(): void {
    this.#subscribers -= 1;
    if (this.#subscribers === 0) clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const version = await this.#version();
    if (this.#subscribers === 0) return;
    // If the first version was not available, report the next one as a change.
    this.#lastVersion ??= version ?? '';
    if (version !== undefined && version !== this.#lastVersion) {
      this.#lastVersion = version;
      this.#changed();
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), POLL_MILLIS);
    this.#timer.unref();
  }
}
