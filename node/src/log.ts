/** Writes one line to standard error; standard output is reserved for the protocol. */
export function log(message: string): void {
  writeError(`limbic-memory: ${message}\n`);
}

/** Writes to standard error. What a closed or full one does not take is discarded; see {@link ignoreErrorsOfLog}. */
export function writeError(text: string | Uint8Array): void {
  try {
    process.stderr.write(text);
  } catch {
    // A file is written at once, and fails so in some versions of Node.
  }
}

/**
 * Keeps this program running when standard error is closed or its disk is full. Loads the streams of Node, which hooks
 * that log nothing do without.
 */
export function ignoreErrorsOfLog(): void {
  process.stderr.on('error', () => {});
}

const MAX_ECHO_CHARS = 100;

/** Truncates client input for use in an error message. */
export function echo(text: string): string {
  return text.length > MAX_ECHO_CHARS ? `${text.slice(0, MAX_ECHO_CHARS)}...` : text;
}
