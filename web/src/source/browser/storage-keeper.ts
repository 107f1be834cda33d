/** The parts of the browser's storage manager that only a page may use; insecure contexts have none of them. */
export type StorageApi = Partial<Pick<StorageManager, 'persisted' | 'persist'>>;

export interface StorageKeeperOptions {
  readonly api: StorageApi | undefined;
  /** Whether the memory has something that a person would miss. */
  readonly hasRecords: () => Promise<boolean>;
  /** Called when it is known whether the browser keeps the storage when space is short. */
  readonly onknown: (isPersistent: boolean) => void;
}

/**
 * Asks the browser to keep the page's storage when space is short.
 *
 * Some browsers show a question for it, so a page asks once by itself, and only when there are records.
 */
export class StorageKeeper {
  readonly #options: StorageKeeperOptions;
  #isPersistent: boolean | undefined;
  #hasAsked = false;

  constructor(options: StorageKeeperOptions) {
    this.#options = options;
  }

  /** Finds out whether the storage is persistent. Never rejects. @param mayAsk whether to ask for it if it is not. */
  async check(mayAsk: boolean): Promise<void> {
    const { api, hasRecords } = this.#options;
    if (this.#isPersistent === true || api?.persisted === undefined) return;
    try {
      this.#note(await api.persisted());
      if (this.#isPersistent || !mayAsk || this.#hasAsked || !(await hasRecords())) return;
      // A second check may have asked meanwhile.
      if (!this.#hasAsked) await this.ask();
    } catch {
      // Without an answer, it stays unknown.
    }
  }

  /** Asks the browser. Returns whether it keeps the storage. Never rejects. */
  async ask(): Promise<boolean> {
    this.#hasAsked = true;
    try {
      const isPersistent = await this.#options.api?.persist?.();
      if (isPersistent !== undefined) this.#note(isPersistent);
      return isPersistent === true;
    } catch {
      return false;
    }
  }

  #note(isPersistent: boolean): void {
    if (this.#isPersistent === isPersistent) return;
    this.#isPersistent = isPersistent;
    this.#options.onknown(isPersistent);
  }
}
