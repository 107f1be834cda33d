/**
 * Messages between the threads.
 *
 * The main thread handles the protocol, one thread runs the core and one the encoder. Core and encoder have a channel
 * of their own, so that encodings do not pass through the main thread.
 */
import type { MessagePort } from 'node:worker_threads';
import type { CodeSettings } from './code-settings.ts';
import type { HookCall } from './hook-messages.ts';

/** How the core thread is started. */
export interface CoreSettings {
  readonly wasm: string;
  /** Whether flags of V8 may be set, which concern the whole process; default false. */
  readonly setsFlags?: boolean;
  readonly db: string;
  /** Whether the database may be on a disk that other machines may write. */
  readonly acceptsSharedDisk: boolean;
  readonly readOnly: boolean;
  /** Chosen toolsets; none means the default ones. */
  readonly toolsets: readonly string[];
  readonly compat: string | undefined;
  /** The command whose failures name its own remedies; default: a server, or another command. */
  readonly shell?: 'inbox' | undefined;
  readonly searchLogDays: number | undefined;
  readonly privateLog: boolean;
  readonly redact: string | undefined;
  readonly scanGraph?: boolean;
  /** The code index, if it is offered. */
  readonly code?: CodeSettings | undefined;
  /** Whether a hook also stores lines that the assistant marked. */
  readonly assistantMarks?: boolean;
  /** The only user whose memories are read and stored. */
  readonly user: string | undefined;
  readonly testClockMillis: number | undefined;
  /** Each call waits until the encoder is ready and the queue is empty. */
  readonly drainsQueue: boolean;
  /** Whether the embedding queue is processed. */
  readonly runsQueue: boolean;
  /** The memory above which an idle thread is replaced; default: never. */
  readonly memoryLimit?: MemoryLimit | undefined;
  /** A call of this tool traps; for tests. */
  readonly testTrap: string | undefined;
  /**
   * A call of this tool, resource, prompt, completion (by its template) or hook never ends, or with `background` the
   * work between calls; for tests.
   */
  readonly testHang?: string | undefined;
  /** The time limit of everything that has one; for tests. */
  readonly testLimitMillis?: number | undefined;
}

/** The memory of a module never shrinks; replacing the thread releases what a large call has allocated. */
export interface MemoryLimit {
  readonly bytes: number;
  /** Time without a call. */
  readonly idleMillis: number;
  /** Minimum age of a thread that replaced one for its memory: a large database may need as much again. */
  readonly restMillis: number;
}

/** Who calls. */
export interface Caller {
  readonly kind: 'client' | 'explorer' | 'library' | 'cli';
  /** The name that the client gave. */
  readonly client: string;
  /** The project that the caller works in; empty if unknown. */
  readonly project: string;
  /** Distinguishes the project from others of the same name; see `Project` in `project.ts`. */
  readonly folder?: string | undefined;
}

/** The domain that a session works in. */
export interface SessionDomain {
  readonly session: string;
  readonly domain: string;
}

/** The session in the core that a request belongs to. */
export interface CoreSession {
  readonly id: string;
  /** The session is stateless: each request names its domain. */
  readonly isStateless: boolean;
}

/** How a call is confirmed that destroys something. */
export interface CallConfirmation {
  /** The digest of the question that a person has answered with yes; the call is run if it still is the question. */
  readonly accepted: string | undefined;
}

/** A thread that ran before, whose locks may be left. */
export interface FormerThread {
  /** Identified its locks. */
  readonly instance: string;
  /** Shared: 1 once the thread has ended. */
  readonly end: Int32Array;
}

/** How a core thread is started. */
export interface CoreStart extends CoreSettings {
  /** Identifies the locks of this thread. */
  readonly instance: string;
  /** The threads that this one replaces. */
  readonly former: readonly FormerThread[];
  /** The sessions of the previous thread. */
  readonly sessions: readonly SessionDomain[];
  /** Whether it replaces a thread that used too much memory. */
  readonly followsLargeOne?: boolean;
}

/** How the encoder thread is started. */
export interface EncoderSettings {
  readonly wasm: string;
  /** Folder with model.onnx and tokenizer.json; without one the test encoder is used. */
  readonly modelDir: string | undefined;
  /** Number of dimensions that vectors are truncated to; undefined leaves them unchanged. */
  readonly modelDimensions: number | undefined;
  /** The first encoding ends the thread; for tests. */
  readonly crashes: boolean;
}

/** The access of a client, where it differs from the settings. */
export interface ToolAccess {
  /** Default: those of the settings. */
  readonly toolsets?: readonly string[] | undefined;
  /** Limits it to reading, regardless of the settings. */
  readonly readOnly?: boolean;
  /** The only user whose memories it reaches; default: that of the settings. */
  readonly user?: string | undefined;
  /** Whether it reaches the memories of all users, regardless of the settings. */
  readonly isForAllUsers?: boolean;
  /** Where it may import from: this folder, or `none`; default: all files that the server can read. */
  readonly imports?: ImportFolder | 'none';
  /** Whether answers have texts as they are stored, without escapes. */
  readonly asStored?: boolean;
}

/** The folder whose files a client over HTTP may import. */
export interface ImportFolder {
  readonly folder: string;
}

/** Messages from the main thread to the core. */
export type ToCore =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly tool: string;
      readonly args: string;
      readonly access: ToolAccess | undefined;
      /** The client that the call belongs to. */
      readonly session: CoreSession | undefined;
      /** How a person confirms a call that destroys something; without it, the call is not confirmed. */
      readonly confirmation: CallConfirmation | undefined;
      /** The caller, which is the origin of stored memories. */
      readonly caller: Caller;
    }
  /** The client has disconnected. */
  | { readonly type: 'end-session'; readonly session: string }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'tools'; readonly id: number; readonly access: ToolAccess | undefined }
  | { readonly type: 'resources'; readonly id: number; readonly access: ToolAccess | undefined }
  | { readonly type: 'resource'; readonly id: number; readonly uri: string; readonly access: ToolAccess | undefined }
  | {
      readonly type: 'prompt';
      readonly id: number;
      readonly name: string;
      readonly args: string;
      readonly session: CoreSession;
      /** The caller, in whose project memories are shown that wait for a person. */
      readonly caller: Caller;
      readonly access: ToolAccess | undefined;
    }
  /** A hook of another process. */
  | ({ readonly type: 'hook'; readonly id: number; readonly access: ToolAccess } & HookCall)
  | {
      readonly type: 'complete';
      readonly id: number;
      readonly template: string;
      readonly part: string;
      readonly begun: string;
      readonly known: string;
      readonly access: ToolAccess | undefined;
    }
  /** The whole database. */
  | { readonly type: 'database'; readonly id: number }
  /** The database's version, which another process's change increments; answered immediately, out of order. */
  | { readonly type: 'version'; readonly id: number }
  /** The beginnings of JSON texts without secrets; answered immediately, out of order. */
  | {
      readonly type: 'without-secrets';
      readonly id: number;
      readonly texts: readonly string[];
      readonly maxChars: number;
    }
  | { readonly type: 'encoder'; readonly port: MessagePort }
  | { readonly type: 'encoder-gone' }
  /** Close the database after all calls have been run. */
  | { readonly type: 'close' }
  /** Answer the calls that have not started with an error, then close. */
  | { readonly type: 'abort-pending' };

/** Messages from the core to the main thread. */
export type FromCore =
  /** The database was opened, or could not be; the next call tries again. */
  | { readonly type: 'opened' }
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly isError: boolean;
      readonly text: string;
      readonly bytes?: Uint8Array | undefined;
      /** The question that a person must answer with yes before the call is run. */
      readonly question?: string | undefined;
      /** The current domain of the call's session, if it has one. */
      readonly domain?: string | undefined;
    }
  /** The thread works for this message, or does a step of it; `undefined` if it is idle. */
  | {
      readonly type: 'running';
      readonly id: number | undefined;
      readonly fileBytes?: number | undefined;
      /** Of an import: what its earlier steps have stored, as its answer says it. */
      readonly stored?: string | undefined;
    }
  | { readonly type: 'progress'; readonly id: number; readonly done: number; readonly total: number }
  /** The module is broken and this thread must be replaced. `id` names the call that was being run, if any. */
  | { readonly type: 'trapped'; readonly id: number | undefined; readonly reason: string }
  /** The thread was idle with too much memory: it has closed the database and must be replaced. */
  | { readonly type: 'retired'; readonly bytes: number }
  | { readonly type: 'closed' };

/** Messages from the main thread to the encoder. */
export type ToEncoder = { readonly type: 'connect'; readonly port: MessagePort };

/** Messages from the encoder to the main thread. */
export type FromEncoder =
  | { readonly type: 'ready'; readonly name: string }
  /** The model cannot be used, and trying again would not help. */
  | { readonly type: 'unusable'; readonly code: string; readonly reason: string };
