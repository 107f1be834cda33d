/** A failure that a module foresees: data, thrown as an error whose message is JSON. */
export interface KnownFailure {
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
}

/**
 * The foreseen failure behind what was thrown. Anything else (a trap, a full stack, a host that threw through the module's
 * frames) leaves the module in an unknown state: it must be thrown away.
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

/** The text of whatever was thrown. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
