/**
 * The page's data source: the database in the browser, a running server, a file, or the host of an MCP App.
 *
 * Views use only this interface.
 */
import type { CallLog } from './call-log.ts';
import type { PageCode } from './page-code.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Store } from './store.ts';
import type { Answer, Input, Output, Tool, ToolName } from './tools.ts';

/** The state of the encoder; without one, there is keyword search only. */
export type EncoderStatus =
  | { readonly state: 'waiting' }
  | { readonly state: 'loading'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly state: 'ready'; readonly name: string }
  | { readonly state: 'failed'; readonly reason: string };

/** The status of the source. */
export interface SourceStatus {
  readonly connection: 'starting' | 'ready' | 'lost';
  /** The message if the connection is not ready. */
  readonly problem?: string;
  /** Where the database is stored. `memory` is lost with the page. */
  readonly storage: 'unknown' | 'browser' | 'memory' | 'server' | 'file';
  /** Whether a server refuses every change. */
  readonly isReadOnly?: boolean;
  /** Whether the database is encrypted where it is stored; unknown until the source is ready. */
  readonly isEncrypted?: boolean;
  /**
   * Whether a server's storage overwrites what is deleted; unknown for other storage, and until the server has
   * answered.
   */
  readonly overwrites?: boolean;
  /** Whether the key of the encrypted database is missing: every call fails until it is given. */
  readonly isLocked?: boolean;
  /** Why it is stored there, if that is not the preferred storage. */
  readonly storageNote?: string;
  /** Whether the browser keeps its storage when space is short; unknown where it does not say, and until it has. */
  readonly isPersistent?: boolean;
  /** The role of this tab. */
  readonly role?: 'leader' | 'follower';
  readonly encoder?: EncoderStatus;
  /** How many texts wait for an embedding. */
  readonly pendingEmbeddings: number;
  /** The last interruption; a new object each time. */
  readonly interruption?: Interruption;
}

/** A message about a worker that was ended by the browser. */
export interface Interruption {
  readonly text: string;
  readonly detail: string;
  /** Whether data was lost. */
  readonly isLoss?: boolean;
}

/** The progress of a long operation. */
export type Progress = (done: number, total: number) => void;

/** Options of an import. */
export interface ImportOptions {
  /**
   * `NAME-wal` of a database in WAL mode; an empty one means that there is none. Without it, such a database is refused
   * with `wal_missing`.
   */
  readonly wal?: Blob;
  /** `NAME-journal` of a database; one of an unfinished transaction is refused. */
  readonly journal?: Blob;
  readonly progress?: Progress;
  /**
   * Whether a Limbic database may replace a memory that is not empty. Without it, such an import fails with
   * `would_replace`.
   */
  readonly replaces?: boolean;
  /** Whether the answer includes the database as it was before the import. */
  readonly keepsPrevious?: boolean;
}

/** The answer of an import; `previous` is the database as it was before, if it was requested and is not too large. */
export type ImportAnswer = Answer<unknown> & { readonly previous?: Blob };

/** The result of a conversion; `unfinished` is the step that failed afterwards, as the end of a sentence. */
export interface Converted {
  readonly rows: number;
  readonly unfinished?: string;
}

/** The encryption of the database in the browser. */
export interface PageEncryption {
  /** Makes a random key, and returns its recovery phrase. Nothing is stored. */
  newPhrase(): Promise<Answer<string>>;
  /** Encrypts the database with the key of a recovery phrase, which this browser stores. */
  encrypt(phrase: string): Promise<Answer<Converted>>;
  decrypt(): Promise<Answer<Converted>>;
  /** Opens the database after the key of this browser was lost, and stores the key again. */
  unlock(phrase: string): Promise<Answer<unknown>>;
}

export interface Source {
  /** `file` is a standalone page with a memory, which is read-only; `host` a server, through the host of an MCP App. */
  readonly kind: 'browser' | 'server' | 'file' | 'host';
  readonly status: Store<SourceStatus>;
  /** The calls of this page and, if the source reports them, of other clients. */
  readonly log: CallLog;
  /** Incremented when the data has changed, by any client. */
  readonly revision: Store<number>;
  tools(): Promise<readonly Tool[]>;
  /** Runs a tool. Never rejects; failures are returned as an error answer. */
  call<T extends ToolName>(tool: T, args: Input<T>): Promise<Answer<Output<T>>>;
  /** Runs a tool by its name. */
  callByName(tool: string, args: unknown): Promise<Answer<unknown>>;
  exportDatabase(): Promise<Answer<Blob>>;
  /** Imports a file: a Limbic database replaces the memory, anything else is added to it. */
  importFile?(file: File, options?: ImportOptions): Promise<ImportAnswer>;
  /** Source code that the page itself indexes. */
  readonly code?: PageCode;
  /** The tokens and sessions of a server. */
  readonly settings?: ServerSettings;
  /** Asks the browser to keep its storage when space is short. Returns whether it does. Never rejects. */
  readonly persist?: () => Promise<boolean>;
  /** Whether and how the page itself can encrypt the database. */
  readonly encryption?: PageEncryption;
  /** Traps the core, for tests. */
  breakForTest?(): Promise<Answer<unknown>>;
  close(): void;
}

/** Exposes the source as `limbic` if the address has the parameter `?test`. */
export function exposeForTests(source: Source): void {
  if (new URLSearchParams(location.search).has('test')) Object.assign(globalThis, { limbic: source });
}
