import type { KnownFailure } from 'limbic-shell/failure.ts';
import { unreachable } from '../../core/fetch-asset.ts';
import { onWorkerEnd } from '../../core/worker-liveness.ts';
import { randomId } from '../../components/random-id.ts';

/** The callbacks of a watched worker. */
export interface WorkerEnds<From> {
  readonly onmessage: (message: From) => void;
  /** An uncaught error occurred. */
  readonly onerror: (reason: string) => void;
  /** Its script could not be loaded. */
  readonly onunloadable: (failure: KnownFailure) => void;
  /** The browser has ended it. */
  readonly onended: () => void;
}

/** A worker whose end is detected. After `detach` or `terminate`, it makes no more calls. */
export class WatchedWorker<To, From extends { readonly type: string }> {
  /** The name of the lock that the worker must hold. */
  readonly livenessLock = `limbic-life:${randomId()}`;
  readonly #worker: Worker;
  readonly #ended = new AbortController();

  constructor(worker: Worker, ends: WorkerEnds<From>) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<From>) => {
      if (this.#ended.signal.aborted) return;
      if (data.type === 'alive') onWorkerEnd(this.livenessLock, this.#ended.signal, ends.onended);
      else ends.onmessage(data);
    };
    // The event of a script that could not be loaded has no message.
    worker.onerror = ({ message = '' }: Partial<ErrorEvent>) => {
      if (this.#ended.signal.aborted) return;
      if (message === '') ends.onunloadable(unreachable('the script of a worker'));
      else ends.onerror(message);
    };
  }

  post(message: To, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Detaches from the worker, which ends on its own. */
  detach(): void {
    this.#ended.abort();
  }

  terminate(): void {
    this.#ended.abort();
    this.#worker.terminate();
  }
}
