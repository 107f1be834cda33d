/** Limits the bytes of requests that wait for their answers: the core runs one call at a time, and memory is finite. */

/** Bytes of one client, that is a token and an address. */
const CLIENT_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of all clients together. */
const ALL_BYTES_MAX = 192 * 1024 * 1024;

/** Limits of request bodies, in bytes. */
export interface ByteLimits {
  readonly client: number;
  readonly all: number;
}

/** The bytes of one request. */
export interface Reservation {
  /** Reserves more bytes; `false` if a limit is reached. */
  take(bytes: number): boolean;
  /** Releases all bytes. */
  release(): void;
}

/** Counts the bytes of the requests that were received and not yet answered. */
export class QueuedBytes {
  readonly limits: ByteLimits;
  readonly #byClient = new Map<string, number>();
  #all = 0;

  constructor(limits: ByteLimits = { client: CLIENT_BYTES_MAX, all: ALL_BYTES_MAX }) {
    this.limits = limits;
  }

  /** Starts to count a request of a client. */
  reserve(client: string): Reservation {
    let taken = 0;
    let isReleased = false;
    return {
      take: (bytes) => {
        const ofClient = this.#byClient.get(client) ?? 0;
        if (isReleased || ofClient + bytes > this.limits.client || this.#all + bytes > this.limits.all) return false;
        taken += bytes;
        this.#all += bytes;
        this.#byClient.set(client, ofClient + bytes);
        return true;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#all -= taken;
        const left = (this.#byClient.get(client) ?? 0) - taken;
        if (left > 0) this.#byClient.set(client, left);
        else this.#byClient.delete(client);
      },
    };
  }
}
