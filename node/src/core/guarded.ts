import { type KnownFailure, knownFailure } from 'limbic-shell/failure.ts';

/** Handlers of errors of background work. */
export interface FailureEnds {
  /** Called when the module has trapped. */
  readonly trapped: (error: unknown) => void;
  /** Called with a failure that the core reports. */
  readonly failed: (failure: KnownFailure) => void;
}

/** Does background work in the core. Returns whether it succeeded; otherwise passes the reason to `ends`. */
export function guarded(work: () => void, { trapped, failed }: FailureEnds): boolean {
  try {
    work();
    return true;
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) trapped(error);
    else failed(failure);
    return false;
  }
}
