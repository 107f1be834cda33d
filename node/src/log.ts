/** Writes one line for whoever runs the server. It goes to stderr: stdout belongs to the protocol. */
export function log(message: string): void {
  process.stderr.write(`limbic-memory: ${message}\n`);
}

const ECHO_CHARS_MAX = 100;

/** What a client gave, as an error repeats it: its start. */
export function echo(text: string): string {
  return text.length > ECHO_CHARS_MAX ? `${text.slice(0, ECHO_CHARS_MAX)}...` : text;
}
