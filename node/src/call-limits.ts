/** How long a call may occupy the core's thread before the thread is replaced, so that no call keeps other clients waiting. */

/** The console: the core stops a statement by itself before, unless one step of it takes too long. */
const CONSOLE = { tool: 'query_sql', millis: 10_000 };
const READ_MILLIS = 60_000;
/** Writes may wait for another process, and maintenance takes long on large databases. */
const WRITE_MILLIS = 600_000;
/** One step of a call that reads a file: a database is imported in a single step. */
const FILE_MILLIS = 60_000;
const FILE_MILLIS_PER_MEGABYTE = 5_000;
const MEGABYTE = 1_000_000;
/** How long a call that only reads may go on after its client has cancelled it or is gone. */
export const CANCELLED_MILLIS = 1_000;

/** What the thread is working on. */
export interface RunningCall {
  readonly tool: string;
  /** It changes nothing. */
  readonly isRead: boolean;
  /** Bytes of the file that it reads, if it reads one. */
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
