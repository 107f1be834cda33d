import { writeSync } from 'node:fs';
import { log } from './log.ts';

const STANDARD_OUTPUT = 1;

/**
 * Reserves standard output for the protocol: other output of libraries and threads is redirected to standard error.
 *
 * @param whenClosed called when standard output takes no more: the client has closed it, or its disk is full.
 * @returns the only function that writes to standard output.
 */
export function protectOutput(whenClosed: () => void): (text: string, done: () => void) => boolean {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...args)) as typeof process.stdout.write;
  process.stdout.on('error', whenClosed);
  process.on('uncaughtException', (error) => log(`unexpected: ${error.stack ?? error.message}`));
  return (text, done) => {
    try {
      return write(text, () => done());
    } catch {
      // A file is written at once, and fails so in some versions of Node.
      whenClosed();
      done();
      return false;
    }
  };
}

/** Whether an error says that the reader has closed the pipe, as `| head` does. */
export function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || (process.platform === 'win32' && code === 'EOF');
}

/**
 * Prints a text at once, without the stream of standard output, which takes Node milliseconds to load. Output that
 * nobody reads is discarded.
 *
 * @throws Error if it cannot be written, as on a full disk.
 */
export function printAtOnce(text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(STANDARD_OUTPUT, bytes, done);
  } catch (error) {
    if (isClosedPipe(error)) return;
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    // The pipe is full and does not block: the stream waits for its reader.
    process.stdout.on('error', (failure) => {
      if (!isClosedPipe(failure)) log(`the output is incomplete: ${failure.message}`);
    });
    process.stdout.write(bytes.subarray(done));
  }
}

/** Makes a printing command exit with its current exit code when the reader closes the pipe. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
    process.exit();
  });
}
