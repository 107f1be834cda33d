/** An expected failure of a module: data, thrown as an error whose message is JSON. */
export interface KnownFailure {
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
}

/**
 * The expected failure in a thrown value. Anything else (a trap, a stack overflow, a host that threw through the
 * module's frames) leaves the module in an unknown state: it must be discarded.
 */
export function knownFailure(thrown: unknown): KnownFailure | undefined {
  if (!(thrown instanceof Error) || !thrown.message.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(thrown.message) as Partial<KnownFailure>;
    if (typeof value.error !== 'string' || typeof value.code !== 'string') return undefined;
    return value as KnownFailure;
  } catch {
    return undefined;
  }
}

/** The message of any thrown value. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
