/** Writes one line to standard error; standard output is reserved for the protocol. */
export function log(message: string): void {
  process.stderr.write(`limbic-memory: ${message}\n`);
}

const ECHO_CHARS_MAX = 100;

/** Truncates client input for use in an error message. */
export function echo(text: string): string {
  return text.length > ECHO_CHARS_MAX ? `${text.slice(0, ECHO_CHARS_MAX)}...` : text;
}
