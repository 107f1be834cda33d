/**
 * Messages between the page, its core worker, its encoder worker and other tabs.
 *
 * Each tab has a core worker. One of them, the leader, holds the database; the followers send the requests of their
 * pages to the leader over a BroadcastChannel of all tabs, and receive replies over a channel of their own. Core and
 * encoder have a channel of their own.
 */
import type { KnownFailure } from 'limbic-shell/failure.ts';

/** A request of a page to the core. */
export type Request =
  | { readonly what: 'call'; readonly tool: string; readonly args: string }
  | { readonly what: 'tools' }
  | { readonly what: 'export' }
  | ({ readonly what: 'import' } & ImportOrder)
  /** Makes a random key; the reply has its recovery phrase. */
  | { readonly what: 'new-phrase' }
  | EncryptionOrder
  /** Breaks the module, for tests. */
  | { readonly what: 'trap' };

/** A change of how the database is stored. `phrase` is the recovery phrase of the key. */
export type EncryptionOrder =
  | { readonly what: 'encrypt'; readonly phrase: string }
  | { readonly what: 'decrypt' }
  /** Opens a database whose key this browser has lost, and stores the key. */
  | { readonly what: 'unlock'; readonly phrase: string };

/** How the database is stored; `locked`: encrypted, and the key is missing. */
export type EncryptionState = 'plain' | 'encrypted' | 'locked';

/** A file to import. */
export interface ImportOrder {
  readonly name: string;
  readonly file: Blob;
  /** `NAME-wal`; an empty blob means that there is none. */
  readonly wal?: Blob;
  /** `NAME-journal`, if it was selected. */
  readonly journal?: Blob;
  /**
   * Whether a Limbic database may replace a memory that is not empty; without it, the reply is the error
   * `would_replace`.
   */
  readonly replaces: boolean;
  /** Whether the reply contains the previous database in `bytes`. */
  readonly keepsPrevious: boolean;
}

/** The reply: JSON text and, if requested, the bytes of a database file. */
export interface Reply {
  readonly isError: boolean;
  readonly text: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** A request with an id that is unique among all tabs and begins with the page's id, see `askId`. */
export interface Ask {
  readonly id: string;
  readonly request: Request;
}

/** The id of a page's nth request. */
export function askId(page: string, n: number): string {
  return `${page}:${n}`;
}

/** The page that sent a request. */
export function pageOf(id: string): string {
  return id.slice(0, id.lastIndexOf(':'));
}

/** The role of a tab's worker and the storage of its database. */
export interface Role {
  readonly kind: 'leader' | 'follower' | 'standalone';
  readonly storage: 'browser' | 'memory';
  /** Why it is only in memory. */
  readonly note?: string;
}

/** How a core worker is started. */
export interface CoreSettings {
  readonly wasm: string;
  readonly toolsets: readonly string[];
  /** Name of the database in the browser's storage. */
  readonly database: string;
  /** Identifies the page among all tabs. */
  readonly page: string;
  /** Whether to keep the database in memory only. */
  readonly memoryOnly: boolean;
  /** In-memory files of the worker that this one replaces. */
  readonly files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Requests that were begun and must not run twice. */
  readonly begun: readonly string[];
  readonly runsQueue: boolean;
  /** Name of the lock that this worker holds as long as it lives. */
  readonly livenessLock: string;
}

export type ToCore =
  | { readonly type: 'start'; readonly settings: CoreSettings }
  | { readonly type: 'ask'; readonly ask: Ask }
  | { readonly type: 'encoder'; readonly port: MessagePort }
  | { readonly type: 'encoder-gone' }
  /** The page is being closed. */
  | { readonly type: 'close' };

export type FromCore =
  /** The worker holds its liveness lock. */
  | { readonly type: 'alive' }
  | { readonly type: 'role'; readonly role: Role }
  /** The database is open, here or in the leader's tab. */
  | { readonly type: 'up' }
  | { readonly type: 'problem'; readonly text: string }
  | { readonly type: 'reply'; readonly id: string; readonly reply: Reply }
  /** A request that must not run twice has been started. */
  | { readonly type: 'begun'; readonly id: string }
  /** Such a request has been answered. */
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly done: number; readonly total: number }
  | { readonly type: 'changed' }
  | { readonly type: 'encryption'; readonly state: EncryptionState }
  /** The database is open, but a file that it no longer needs remains; `text` says why, as the end of a sentence. */
  | { readonly type: 'unfinished'; readonly text: string }
  | { readonly type: 'pending'; readonly count: number }
  /** The worker could not start, and has run no request. */
  | { readonly type: 'unusable'; readonly failure: KnownFailure }
  /** The module is broken and this worker must be replaced. `id` names the request that was being run, if any. */
  | {
      readonly type: 'trapped';
      readonly id: string | undefined;
      readonly reason: string;
      readonly files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
    };

/** Broadcast between the core workers of all tabs. */
export type TabMessage =
  | { readonly type: 'ask'; readonly ask: Ask }
  /** A request that must not run twice has been started. */
  | { readonly type: 'begun'; readonly id: string }
  /** Such a request has been answered. */
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'changed' }
  | { readonly type: 'encryption'; readonly state: EncryptionState }
  | { readonly type: 'pending'; readonly count: number }
  /** A leader is ready. If its id is new to a tab, unanswered requests must be sent to it again. */
  | { readonly type: 'leader'; readonly id: string; readonly role: Role }
  /** Asks whether there is a leader, which announces itself to all tabs. */
  | { readonly type: 'find-leader' };

/** Messages from the leader to one tab, over that tab's channel. */
export type ToTab =
  | { readonly type: 'reply'; readonly id: string; readonly reply: Reply }
  | { readonly type: 'progress'; readonly id: string; readonly done: number; readonly total: number };

export interface EncoderSettings {
  readonly wasm: string;
  readonly model: string;
  readonly tokenizer: string;
  /** Bytes to load in all, for progress. */
  readonly totalBytes: number;
  /** Whether to replace cached assets, which are damaged. */
  readonly isAnew: boolean;
  /** Name of the lock that this worker holds as long as it lives. */
  readonly livenessLock: string;
}

export type ToEncoder =
  | { readonly type: 'start'; readonly settings: EncoderSettings }
  | { readonly type: 'connect'; readonly port: MessagePort };

export type FromEncoder =
  | { readonly type: 'alive' }
  | { readonly type: 'loading'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly type: 'ready'; readonly name: string }
  /**
   * It cannot be used. `isFinal`: another try with the same assets would not help. `assets`: where those are from that
   * it could not load, or that one is missing; cached ones may be damaged.
   */
  | {
      readonly type: 'unusable';
      readonly reason: string;
      readonly isFinal: boolean;
      readonly assets?: 'cached' | 'fetched' | 'missing';
    };
