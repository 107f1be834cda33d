import type { ToolError } from './tools.ts';

/** The result of a call. `text` is the core's JSON. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly text: string }
  | { readonly ok: false; readonly error: ToolError; readonly text: string };
