/** Notices that another process has changed the database. */

/** Pages and subscribers are to hear of a change within a second. */
const LOOK_MILLIS = 400;

/** Looks from time to time, as long as it is wanted. */
export class Watch {
  readonly #version: () => Promise<string | undefined>;
  readonly #changed: () => void;
  #wanted = 0;
  #known: string | undefined;
  #first: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** @param version differs from the one before when others have changed the database; nothing when that cannot be told. */
  constructor(version: () => Promise<string | undefined>, changed: () => void) {
    this.#version = version;
    this.#changed = changed;
  }

  /** Looks until {@link Watch.stop}. When this resolves, no later change is missed. */
  start(): Promise<void> {
    this.#wanted += 1;
    if (this.#wanted === 1) {
      this.#known = undefined;
      this.#first = this.#look();
    }
    return this.#first;
  }

  /** One of those who wanted it needs it no more. */
  stop(): void {
    this.#wanted -= 1;
    if (this.#wanted === 0) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const version = await this.#version();
    if (this.#wanted === 0) return;
    // What could not be told at the start may have been anything.
    this.#known ??= version ?? '';
    if (version !== undefined && version !== this.#known) {
      this.#known = version;
      this.#changed();
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), LOOK_MILLIS);
    this.#timer.unref();
  }
}
