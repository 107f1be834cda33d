/** Limits the bytes of requests that wait for their answers: the core runs one call at a time, and memory is finite. */

/** Bytes of one client, that is a token and an address. */
const MAX_CLIENT_BYTES = 64 * 1024 * 1024;
/** Bytes of all clients together. */
const MAX_ALL_BYTES = 192 * 1024 * 1024;

/** A message up to this length is read when a limit is reached, since it may cancel a request. */
const MAX_CANCEL_BYTES = 8 * 1024;
/** Maximum number of these messages that wait beyond each limit. */
const MAX_CANCELS = 16;

/** Limits of request bodies, in bytes. */
export interface ByteLimits {
  readonly client: number;
  readonly all: number;
  /** Bytes of a message that is read although a limit is reached. */
  readonly cancel: number;
}

/** The bytes of one request. */
export interface Reservation {
  /** Reserves more bytes, those of a short message even when a limit is reached; otherwise `false`. */
  take(bytes: number): boolean;
  /** Whether it was read although a limit is reached, so that only a cancellation may be served. */
  readonly isBeyond: boolean;
  /** Releases all bytes. */
  release(): void;
}

/** Counts the bytes of the requests that were received and not yet answered. */
export class QueuedBytes {
  readonly limits: ByteLimits;
  readonly #byClient = new Map<string, number>();
  #all = 0;

  constructor(limits: ByteLimits = { client: MAX_CLIENT_BYTES, all: MAX_ALL_BYTES, cancel: MAX_CANCEL_BYTES }) {
    this.limits = limits;
  }

  /** Starts to count a request of a client. */
  reserve(client: string): Reservation {
    let taken = 0;
    let isReleased = false;
    let isBeyond = false;
    return {
      get isBeyond() {
        return isBeyond;
      },
      take: (bytes) => {
        const ofClient = this.#byClient.get(client) ?? 0;
        if (isReleased) return false;
        const { client: max, all, cancel } = this.limits;
        isBeyond = ofClient + bytes > max || this.#all + bytes > all;
        const beyond = MAX_CANCELS * cancel;
        const isRefused = ofClient + bytes > max + beyond || this.#all + bytes > all + beyond;
        if (isBeyond && (isRefused || taken + bytes > cancel)) return false;
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
