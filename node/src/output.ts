import { log } from './log.ts';

/**
 * Keeps stdout for the protocol: whatever else is printed, by a library or by a thread, goes to stderr.
 *
 * @returns the one way that is left to write to stdout.
 */
export function protectOutput(): (text: string, done: () => void) => boolean {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...args)) as typeof process.stdout.write;
  // A reader that is gone shows up as the end of the input, too; there is nothing more to tell it.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  process.on('uncaughtException', (error) => log(`unexpected: ${error.stack ?? error.message}`));
  return (text, done) => write(text, () => done());
}

/** Whether something could not be written because its reader has closed the pipe, as `| head` does. */
export function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || (process.platform === 'win32' && code === 'EOF');
}

/** Ends a command that prints, with the exit code that it has so far, when nobody reads on. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
    process.exit();
  });
  // What is left to be told there is told to nobody.
  process.stderr.on('error', () => {});
}
