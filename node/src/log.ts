/** Writes one line to standard error; standard output is reserved for the protocol. */
export function log(message: string): void {
  process.stderr.write(`limbic-memory: ${message}\n`);
}

const MAX_ECHO_CHARS = 100;

/** Truncates client input for use in an error message. */
export function echo(text: string): string {
  return text.length > MAX_ECHO_CHARS ? `${text.slice(0, MAX_ECHO_CHARS)}...` : text;
}
