/** Messages between the page and the worker that indexes source code. */
import type { Reply } from './messages.ts';
import type { SourceFile } from './source-files.ts';

/** The compressed modules and tables. */
export interface CodeAssets {
  readonly core: string;
  readonly code: string;
  /** For the languages that the other one lacks. */
  readonly more: string;
  /** The table of static vectors. */
  readonly subwords: string;
}

export type ToCode =
  /** The first message. */
  | { readonly type: 'start'; readonly assets: CodeAssets; readonly livenessLock: string }
  /** Replaces the files of a project and indexes it; the reply is that of `index_project`. */
  | { readonly type: 'add'; readonly id: number; readonly name: string; readonly files: readonly SourceFile[] }
  | { readonly type: 'call'; readonly id: number; readonly tool: string; readonly args: string };

export type FromCode =
  | { readonly type: 'alive' }
  | { readonly type: 'reply'; readonly id: number; readonly reply: Reply }
  /** The module is broken: the worker is of no use any more. */
  | { readonly type: 'trapped'; readonly reason: string };
