import type { CoreThread } from '../core-thread.ts';
import type { ToolFilter } from '../tool-filter.ts';
import type { Sessions } from '../sessions.ts';

/** What HTTP handlers need of the server. */
export interface HttpContext {
  readonly core: CoreThread;
  readonly sessions: Sessions;
  /** The tools that are offered to agents and to the explorer. */
  readonly agents: ToolFilter;
  readonly explorer: ToolFilter;
  /** The server's status for the explorer. */
  readonly about: Readonly<Record<string, unknown>>;
}
