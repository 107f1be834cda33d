/** The failures that the fake can have. */
export type KeyStoreFault = 'blocked' | 'no-open' | 'aborted' | 'refused';

/**
 * The part of IndexedDB that `core/key-store.ts` uses: databases of stores of values, whose requests end in a later
 * task. With a fault, opening or transactions fail as browsers let them fail.
 */
export class FakeIndexedDb {
  fault: KeyStoreFault | undefined;
  /** Connections that are open. */
  connections = 0;
  readonly values = new Map<unknown, unknown>();
  #hasStore = false;
  #blocked: FakeRequest[] = [];

  open(): FakeRequest {
    if (this.fault === 'refused') throw new DOMException('The operation is insecure.', 'SecurityError');
    const request = new FakeRequest();
    setTimeout(() => {
      if (this.fault === 'no-open')
        request.fail(new DOMException('Internal error opening backing store.', 'UnknownError'));
      else if (this.fault === 'blocked') {
        this.#blocked.push(request);
        request.onblocked?.();
      } else this.#finishOpening(request);
    });
    return request;
  }

  /** Lets those succeed that were blocked. */
  unblock(): void {
    for (const request of this.#blocked.splice(0)) this.#finishOpening(request);
  }

  #finishOpening(request: FakeRequest): void {
    this.connections += 1;
    request.result = {
      createObjectStore: () => {
        this.#hasStore = true;
      },
      transaction: () => this.#transaction(),
      close: () => {
        this.connections -= 1;
      },
    };
    if (!this.#hasStore) request.onupgradeneeded?.();
    request.onsuccess?.();
  }

  #transaction(): FakeTransaction {
    const { values, fault } = this;
    const transaction = new FakeTransaction();
    const run = (change: () => unknown): FakeRequest => {
      const request = new FakeRequest();
      setTimeout(() => {
        if (fault === 'aborted') {
          transaction.error = new DOMException('The quota is exceeded.', 'QuotaExceededError');
          transaction.onabort?.();
          return;
        }
        request.result = change();
        transaction.oncomplete?.();
      });
      return request;
    };
    transaction.objectStore = () => ({
      get: (key) => run(() => values.get(key)),
      put: (value, key) => run(() => values.set(key, value)),
      delete: (key) => run(() => values.delete(key)),
    });
    return transaction;
  }
}

class FakeRequest {
  result: unknown;
  error: DOMException | null = null;
  onsuccess?: () => void;
  onerror?: () => void;
  onblocked?: () => void;
  onupgradeneeded?: () => void;

  fail(error: DOMException): void {
    this.error = error;
    this.onerror?.();
  }
}

interface FakeStore {
  get(key: unknown): FakeRequest;
  put(value: unknown, key: unknown): FakeRequest;
  delete(key: unknown): FakeRequest;
}

class FakeTransaction {
  error: DOMException | null = null;
  oncomplete?: () => void;
  onabort?: () => void;
  objectStore: () => FakeStore = () => {
    throw new Error('the transaction has no store');
  };
}
