/** Notices that another process has changed the database. */

/** Pages and subscribers are to hear of a change within a second. */
const POLL_MILLIS = 400;

/** Looks from time to time, as long as it is wanted. */
export class Watch {
  readonly #version: () => Promise<string | undefined>;
  readonly #changed: () => void;
  #subscribers = 0;
  #lastVersion: string | undefined;
  #firstPoll: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** @param version differs from the one before when others have changed the database; nothing when that cannot be told. */
  constructor(version: () => Promise<string | undefined>, changed: () => void) {
    this.#version = version;
    this.#changed = changed;
  }

  /** Looks until {@link Watch.stop}. When this resolves, no later change is missed. */
  start(): Promise<void> {
    this.#subscribers += 1;
    if (this.#subscribers === 1) {
      this.#lastVersion = undefined;
      this.#firstPoll = this.#poll();
    }
    return this.#firstPoll;
  }

  /** One of those who wanted it needs it no more. */
  stop(): void {
    this.#subscribers -= 1;
    if (this.#subscribers === 0) clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const version = await this.#version();
    if (this.#subscribers === 0) return;
    // What could not be told at the start may have been anything.
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
