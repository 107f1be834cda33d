/** Time limits of calls. A call that exceeds its limit is stopped by replacing the core's thread, so that it does not block other clients. */

/** The SQL console. The core itself interrupts a statement earlier, unless a single step of SQLite takes too long. */
const CONSOLE = { tool: 'query_sql', millis: 10_000 };
const READ_MILLIS = 60_000;
/** Writes: they may wait for another process, and maintenance of a large database takes minutes. */
const WRITE_MILLIS = 600_000;
/** One step of a call that reads a file: a database is imported in a single step. */
const FILE_MILLIS = 60_000;
const FILE_MILLIS_PER_MEGABYTE = 5_000;
const MEGABYTE = 1_000_000;
/** Time that a read-only call may continue after its client has cancelled it or disconnected. */
export const CANCELLED_MILLIS = 1_000;

/** The call that the thread executes. */
export interface RunningCall {
  readonly tool: string;
  /** Whether the call is read-only. */
  readonly isRead: boolean;
  /** Size of the file that the call reads, in bytes; `undefined` if it reads none. */
  readonly fileBytes: number | undefined;
}

/** The time limit of a call, in milliseconds. */
export function limitMillis({ tool, isRead, fileBytes }: RunningCall): number {
  if (fileBytes !== undefined) return FILE_MILLIS + (fileBytes / MEGABYTE) * FILE_MILLIS_PER_MEGABYTE;
  if (tool === CONSOLE.tool) return CONSOLE.millis;
  return isRead ? READ_MILLIS : WRITE_MILLIS;
}

/** The answer to a call that was stopped. */
export function timeoutAnswer(millis: number): { readonly isError: true; readonly text: string } {
  const error = {
    error: `The call was stopped: it kept the memory busy for more than ${Math.round(millis / 1000)} seconds. Nothing was changed that was not stored before`,
    code: 'timeout',
    hint: 'Ask for less: a lower limit, a narrower filter, or several calls',
  };
  return { isError: true, text: JSON.stringify(error) };
}
