/** An expected failure, as the modules throw it: an `Error` whose message is JSON. */
export interface Failure {
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
}

/** The failure that an exception stands for; nothing when the module broke. */
export function knownFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !error.message.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(error.message);
    const isFailure = typeof value === 'object' && value !== null && 'code' in value && 'error' in value;
    return isFailure ? (value as Failure) : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A failure of this shell, in the form in which tools fail. */
export function shellFailure(code: string, error: string, hint?: string): { isError: true; text: string } {
  return { isError: true, text: JSON.stringify({ error, code, hint }) };
}
