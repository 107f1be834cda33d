/**
 * What passes between the page, its core worker, its encoder worker, and other tabs.
 *
 * Each tab has a core worker. One of them, the owner, holds the database; those of the other tabs hand what their page
 * asks to the owner over a BroadcastChannel that all hear; the reply comes over one that only this tab hears. Core and
 * encoder talk over a channel of their own.
 */

/** What a page asks of the core. */
export type Request =
  | { readonly what: 'call'; readonly tool: string; readonly args: string }
  | { readonly what: 'tools' }
  | { readonly what: 'export' }
  | ({ readonly what: 'import' } & ImportOrder)
  /** Breaks the module, for tests. */
  | { readonly what: 'trap' };

/** A file to import. */
export interface ImportOrder {
  readonly name: string;
  readonly file: Blob;
  /** `NAME-wal`, chosen along with the file; an empty one says that there is none. */
  readonly wal?: Blob;
  /** `NAME-journal`, chosen along with the file. */
  readonly journal?: Blob;
  /** Whether a Limbic database may replace a memory that is not empty; without it, the reply is the error `would_replace`. */
  readonly replaces: boolean;
  /** Whether the reply brings, as `bytes`, the database as it was before the import. */
  readonly keepsPrevious: boolean;
}

/** What came of it: JSON text, and with it the bytes of a database file where the request asks for them. */
export interface Reply {
  readonly isError: boolean;
  readonly text: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** A request that waits for its reply. The id is unique among all tabs and begins with the page that asks, see `askId`. */
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

/** Who runs the database of this tab, and on what. */
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
  /** Names the page among all tabs. */
  readonly page: string;
  /** Keep the database in memory whatever the browser offers. */
  readonly memoryOnly: boolean;
  /** Files of the worker that this one takes the place of, when they lived in memory. */
  readonly files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Requests that were begun and must not be run a second time. */
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
  /** The page is about to go. */
  | { readonly type: 'close' };

export type FromCore =
  /** The worker holds the lock of its life. */
  | { readonly type: 'alive' }
  | { readonly type: 'role'; readonly role: Role }
  /** The database is open here or at the owner's. */
  | { readonly type: 'up' }
  | { readonly type: 'problem'; readonly text: string }
  | { readonly type: 'reply'; readonly id: string; readonly reply: Reply }
  /** A request is being run that must not be run twice. */
  | { readonly type: 'begun'; readonly id: string }
  /** Such a request has been answered. */
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly done: number; readonly total: number }
  | { readonly type: 'changed' }
  | { readonly type: 'pending'; readonly count: number }
  /** The module is broken and this worker must be replaced. `id` names the request that was being run, if any. */
  | {
      readonly type: 'trapped';
      readonly id: string | undefined;
      readonly reason: string;
      readonly files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
    };

/** Between the core workers of the tabs: over the channel that all of them hear. */
export type TabMessage =
  | { readonly type: 'ask'; readonly ask: Ask }
  /** A request is being run that must not be run twice. */
  | { readonly type: 'begun'; readonly id: string }
  /** Such a request has been answered. */
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'changed' }
  | { readonly type: 'pending'; readonly count: number }
  /** An owner is there: what it has not answered must be sent to it again. */
  | { readonly type: 'leader'; readonly role: Role }
  /** Asks whether there is an owner. */
  | { readonly type: 'find-leader' };

/** From the owner to one tab: over the channel that only this tab hears. */
export type ToTab =
  | { readonly type: 'reply'; readonly id: string; readonly reply: Reply }
  | { readonly type: 'progress'; readonly id: string; readonly done: number; readonly total: number };

export interface EncoderSettings {
  readonly wasm: string;
  readonly model: string;
  readonly tokenizer: string;
  /** Bytes to load in all, for progress. */
  readonly totalBytes: number;
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
  /** It cannot be used. `isFinal`: another try would not help. */
  | { readonly type: 'unusable'; readonly reason: string; readonly isFinal: boolean };
