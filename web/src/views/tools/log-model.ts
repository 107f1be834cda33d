import { type LoggedCall, THIS_PAGE } from '../../source/call-log.ts';

/** The filter of the call log. */
export interface LogFilter {
  readonly text: string;
  readonly client: 'all' | 'page' | 'others';
  readonly isErrorsOnly: boolean;
}

/** The calls that match, newest first. The text is searched in tools, clients and arguments. */
export function filterCalls(calls: readonly LoggedCall[], { text, client, isErrorsOnly }: LogFilter): LoggedCall[] {
  const wanted = text.trim().toLowerCase();
  const found = calls.filter((call) => {
    if (client !== 'all' && (call.client === THIS_PAGE) !== (client === 'page')) return false;
    if (isErrorsOnly && call.isError !== true) return false;
    return wanted === '' || `${call.tool} ${call.client} ${call.args}`.toLowerCase().includes(wanted);
  });
  return found.reverse();
}

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** The length of an answer in characters; the log may contain only its beginning. */
export function sizeOf({ answer, answerLength }: LoggedCall): number | undefined {
  return answerLength ?? answer?.length;
}

/** Whether the log contains only the beginning. */
export function isTruncated(kept: string | undefined, length: number | undefined): boolean {
  return kept !== undefined && length !== undefined && length > kept.length;
}

const MILLIS_PER_SECOND = 1000;

export function millisText(millis: number): string {
  if (millis < 10) return `${millis.toFixed(1)} ms`;
  return millis < MILLIS_PER_SECOND ? `${Math.round(millis)} ms` : `${(millis / MILLIS_PER_SECOND).toFixed(2)} s`;
}

/** The time of day, to the millisecond, in the reader's time zone. */
export function clock(millis: number): string {
  const time = new Date(millis);
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  return `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}.${pad(time.getMilliseconds(), 3)}`;
}

/** Parses JSON; truncated text is returned as text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
