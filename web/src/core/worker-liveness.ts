/**
 * Detects that the browser has ended a worker, for example for lack of memory; there is no event for this.
 *
 * The worker holds a Web Lock while it lives; the page waits for the lock and acquires it when the worker has ended.
 */

/** In a worker: acquires the lock and calls `held`, after which the page may wait for it. */
export function holdLivenessLock(name: string, held: () => void): void {
  // Insecure contexts have no locks, and browsers that store nothing refuse them.
  navigator.locks
    ?.request(name, () => {
      held();
      return new Promise(() => {});
    })
    .catch(() => {});
}

/** In a page: calls `ended` when the worker that holds the lock has ended, unless the signal is aborted. */
export function onWorkerEnd(name: string, signal: AbortSignal, ended: () => void): void {
  navigator.locks
    .request(name, { signal }, () => {
      if (!signal.aborted) ended();
    })
    .catch(() => {
      // The signal was aborted.
    });
}
