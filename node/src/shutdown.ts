import type { CoreThread } from './core-thread.ts';
import type { StdioTransport } from './stdio.ts';

/** How long calls that were read may still take when the client has only ended its side. */
const END_PATIENCE_MILLIS = 10_000;
/** The same after a signal: whoever sent it waits. */
const SIGNAL_PATIENCE_MILLIS = 2000;
/** How long the call that is being run may take after that. What it has begun is undone by the next to open the file. */
const LAST_CALL_MILLIS = 1000;

/**
 * Ends the server at the end of the input, at SIGTERM, SIGINT and SIGHUP: calls that were read are run and answered, the
 * database is closed, the exit code is 0. A second signal ends it at once.
 */
export function stopCleanly(transport: StdioTransport, core: CoreThread): void {
  let signals = 0;
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    transport.stop();
    await core.close();
    // The answers leave through promises of the SDK: let them run, then wait for the pipe.
    await new Promise((resolve) => setImmediate(resolve));
    await flushed();
    process.exit(0);
  };
  const giveUpAfter = (millis: number): void => {
    setTimeout(() => core.hurry(), millis).unref();
    setTimeout(() => process.exit(0), millis + LAST_CALL_MILLIS).unref();
  };
  transport.onend = () => {
    giveUpAfter(END_PATIENCE_MILLIS);
    void stop();
  };
  const onSignal = (): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    giveUpAfter(SIGNAL_PATIENCE_MILLIS);
    void stop();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/** Waits until the client has taken what was written. */
function flushed(): Promise<void> {
  if (process.stdout.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    process.stdout.once('drain', resolve);
    process.stdout.once('error', () => resolve());
  });
}
