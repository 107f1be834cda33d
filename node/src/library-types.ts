/** The types of `limbic-memory`. */
/// <reference lib="esnext.disposable" />
import type { Tools } from 'limbic-pkg/types.ts';

export type { ToolError, Tools } from 'limbic-pkg/types.ts';

/** How a memory is opened. */
export interface OpenOptions {
  /** The database file; created if it does not exist. Default: the one that the server uses. */
  readonly db?: string;
  /** Accept a database on a network or shared disk, which one machine at a time may use. */
  readonly sharedDisk?: boolean;
  /** Refuse every change. */
  readonly readOnly?: boolean;
  /**
   * The sentence encoder: the packaged model, another folder with `model.onnx`, `tokenizer.json` and its configuration,
   * or none.
   */
  readonly model?: boolean | string;
  /** Truncates another model's vectors to this number of dimensions, a multiple of 8, as Matryoshka models allow. */
  readonly modelDimensions?: number;
  /** `pii` removes personal data before storing. */
  readonly redact?: 'pii';
  /** The only user whose memories are read and stored; tools for records without an owner, such as the graph, fail. */
  readonly user?: string;
  /** Days to keep searches in the search log; 0 disables it. */
  readonly searchLogDays?: number;
  /** Log searches without their queries. */
  readonly privateLog?: boolean;
}

/** How a call is made. */
export interface CallOptions {
  /** Cancels the call if it has not started. */
  readonly signal?: AbortSignal;
  /**
   * Answers with texts as they are stored, for a program that stores them again. Otherwise, control, invisible and
   * bidirectional characters are escaped, such as `<U+202E>`.
   */
  readonly asStored?: boolean;
}

/** The arguments of a tool; optional if none is required. */
type Arguments<Name extends keyof Tools> =
  Record<never, never> extends Tools[Name]['input']
    ? [input?: Tools[Name]['input'], options?: CallOptions]
    : [input: Tools[Name]['input'], options?: CallOptions];

/** `memory_store`: with `content` the answer has `memory`, with `memories` it has `memories`. */
interface Store {
  (input: StoreInput & { content: string }, options?: CallOptions): Promise<Stored<'memory'>>;
  (input: StoreInput & { memories: object[] }, options?: CallOptions): Promise<Stored<'memories'>>;
  (input: StoreInput, options?: CallOptions): Promise<StoreOutput>;
}

type StoreInput = Tools['memory_store']['input'];
type StoreOutput = Tools['memory_store']['output'];
type Stored<Name extends keyof StoreOutput> = StoreOutput & Required<Pick<StoreOutput, Name>>;

/** An open memory: every tool as a method. A tool that fails throws a {@link LimbicError}. */
export type Memory = {
  readonly [Name in Exclude<keyof Tools, 'memory_store'>]: (...args: Arguments<Name>) => Promise<Tools[Name]['output']>;
} & {
  readonly memory_store: Store;
  /** The only user whose memories are read and stored, from the options. */
  readonly user: string | undefined;
  /** Whether personal data is removed before storing, from the options. */
  readonly redact: 'pii' | undefined;
  /** Calls a tool by its name. */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Completes the outstanding calls, closes the database and ends the threads. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A tool that failed, with the tool's code and hint. */
export declare class LimbicError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
}

/**
 * Opens a database in threads of this process. Servers and other processes may use the same file at the same
 * time, since all use the same locks.
 */
export declare function open(options?: OpenOptions): Promise<Memory>;
