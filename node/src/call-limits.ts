/**
 * Time limits of calls. A call that exceeds its limit is stopped by replacing the core's thread, so that it does not
 * block other clients.
 */
import { statSync } from 'node:fs';
import { CALL_LIMITS, CALLING_TOOLS, DRY_RUN_TOOLS, READING_TOOLS } from 'limbic-pkg/call-limits.mts';
import { HOOKS_THAT_STORE } from './hook-events.ts';
import type { ToCore } from './messages.ts';

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

/** The tool that a call runs, and whether the call is read-only. `args` is JSON text. */
export function calledTool(tool: string, args: string): Pick<RunningCall, 'tool' | 'isRead'> {
  // Few tools need their arguments for this, which may be long.
  if (READING_TOOLS.has(tool)) return { tool, isRead: true };
  if (!CALLING_TOOLS.has(tool) && !DRY_RUN_TOOLS.has(tool)) return { tool, isRead: false };
  let given: unknown;
  try {
    given = JSON.parse(args);
  } catch {
    return { tool, isRead: false };
  }
  return calledWith(tool, given);
}

/** Whether a value is a JSON object. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function calledWith(tool: string, given: unknown): Pick<RunningCall, 'tool' | 'isRead'> {
  if (READING_TOOLS.has(tool)) return { tool, isRead: true };
  if (!isObject(given)) return { tool, isRead: false };
  const { name, arguments: named, dry_run: isDryRun = true } = given;
  if (CALLING_TOOLS.has(tool)) {
    const isCall = typeof name === 'string' && !CALLING_TOOLS.has(name) && isObject(named);
    // Without arguments it lists tools, or describes one.
    return isCall ? calledWith(name, named) : { tool, isRead: true };
  }
  return { tool, isRead: DRY_RUN_TOOLS.has(tool) && isDryRun === true };
}

/** The time limit of a call, in milliseconds. */
export function limitMillis({ tool, isRead, fileBytes }: RunningCall): number {
  const { console, readMillis, writeMillis, fileMillis, fileMillisPerMegabyte } = CALL_LIMITS;
  if (fileBytes !== undefined) return fileMillis + (fileBytes / MEGABYTE) * fileMillisPerMegabyte;
  if (tool === console.tool) return console.millis;
  return isRead ? readMillis : writeMillis;
}

/**
 * The time limit of what the thread does for a message, in milliseconds; `undefined` for messages that need no
 * database.
 *
 * @param fileBytes Size of the file that the call reads, or of the database to export; `undefined` if there is none.
 */
export function limitOf(message: ToCore, fileBytes: number | undefined): number | undefined {
  switch (message.type) {
    case 'call':
      return limitMillis({ ...calledTool(message.tool, message.args), fileBytes });
    case 'hook':
      return limitMillis({ tool: '', isRead: !HOOKS_THAT_STORE.has(message.hook), fileBytes });
    case 'resource':
    case 'prompt':
    case 'complete':
    case 'database':
      return limitMillis({ tool: '', isRead: true, fileBytes });
    default:
      return undefined;
  }
}

/** What a thread does first, as tests name it. */
export const OPENING = 'opening';

/** The steps of an import after the first that has stored something, as tests name them. */
export const LATER_STEP = 'later step';

/** The time limit for opening a database, in milliseconds: that of a call which reads a file of its size. */
export function openingMillis(db: string): number {
  return limitMillis({ tool: '', isRead: false, fileBytes: sizeOf(db) ?? 0 });
}

/** The size of a file, in bytes; `undefined` if it is unknown. */
export function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

/** The answer to all that waits for a database which was not opened in time. */
export function openingTimeoutAnswer(millis: number): { readonly isError: true; readonly text: string } {
  const error = {
    error: `The database was not opened within its time limit of ${Math.round(millis) / 1000} seconds`,
    code: 'timeout',
    hint: 'The next call tries again. limbic-memory check shows whether the file is damaged',
  };
  return { isError: true, text: JSON.stringify(error) };
}

/**
 * The answer to a call that was stopped.
 *
 * @param stored Of an import: what its earlier steps have stored.
 */
export function timeoutAnswer(millis: number, stored?: string): { readonly isError: true; readonly text: string } {
  const cause = `The call was stopped at its time limit of ${Math.round(millis) / 1000} seconds`;
  const error =
    stored === undefined
      ? {
          error: `${cause}. Its current transaction was rolled back; earlier ones are stored`,
          code: 'timeout',
          hint: 'Ask for less: a lower limit, a narrower filter, or several calls',
        }
      : {
          error: importInterrupted(cause, stored),
          code: 'timeout',
          hint: 'Importing a file again changes nothing that it has stored before',
        };
  return { isError: true, text: JSON.stringify(error) };
}

/** The error of an import that did not complete, as the core words it. */
export function importInterrupted(cause: string, stored: string): string {
  return `The import was incomplete: ${cause}. What was stored before is kept (${stored}): run it again to complete it`;
}
