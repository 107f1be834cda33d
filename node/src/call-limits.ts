/**
 * Time limits of calls. A call that exceeds its limit is stopped by replacing the core's thread, so that it does not
 * block other clients.
 */
import { CALL_LIMITS } from 'limbic-pkg/call-limits.mts';
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
 * @param isRead Whether the tool of a call is read-only.
 * @param fileBytes Size of the file that the call reads, or of the database to export; `undefined` if there is none.
 */
export function limitOf(message: ToCore, isRead: boolean, fileBytes: number | undefined): number | undefined {
  switch (message.type) {
    case 'call':
      return limitMillis({ tool: message.tool, isRead, fileBytes });
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

/** The answer to a call that was stopped. */
export function timeoutAnswer(millis: number): { readonly isError: true; readonly text: string } {
  const error = {
    error: `The call was stopped at its time limit of ${Math.round(millis) / 1000} seconds. Its current transaction was rolled back; earlier ones are stored`,
    code: 'timeout',
    hint: 'Ask for less: a lower limit, a narrower filter, or several calls',
  };
  return { isError: true, text: JSON.stringify(error) };
}
