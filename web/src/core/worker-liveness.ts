/**
 * How a page learns that the browser has ended one of its workers, as it does for want of memory: no event tells it.
 *
 * The worker holds a Web Lock as long as it lives; whoever waits for the lock gets it when the worker is no more.
 */

/** In a worker: holds the lock, and calls back when the page may wait for it. */
export function holdLivenessLock(name: string, held: () => void): void {
  // There are no locks on an address that is not secure.
  void navigator.locks?.request(name, () => {
    held();
    return new Promise(() => {});
  });
}

/** In a page: calls back when the worker that holds the lock has ended, unless the signal is given before. */
export function onWorkerEnd(name: string, signal: AbortSignal, ended: () => void): void {
  navigator.locks
    .request(name, { signal }, () => {
      if (!signal.aborted) ended();
    })
    .catch(() => {
      // The signal was given.
    });
}
