import type { CoreThread } from '../core-thread.ts';
import type { KnownToolsets } from '../token-rights.ts';
import type { NamedToken, TokenStore } from '../token-store.ts';
import type { ToolFilter } from '../tool-filter.ts';
import type { Sessions } from '../sessions.ts';

/** The parts of the server that HTTP handlers use. */
export interface HttpContext {
  readonly core: CoreThread;
  readonly sessions: Sessions;
  /** The tools that are offered to agents and to the explorer, with the server's own token or a named one. */
  readonly agents: (token: NamedToken | undefined) => ToolFilter;
  readonly explorer: (token: NamedToken | undefined) => ToolFilter;
  /** The named tokens. */
  readonly tokens: TokenStore;
  /** The toolsets that a new token may name. */
  readonly toolsets: KnownToolsets;
  /** The database's path. */
  readonly db: string;
  /** The only user whose memories the server reaches. */
  readonly user: string | undefined;
  /** The server's status for the explorer. */
  readonly about: Readonly<Record<string, unknown>>;
}
