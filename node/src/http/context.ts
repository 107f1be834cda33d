import type { CoreThread } from '../core-thread.ts';
import type { ToolFilter } from '../tool-filter.ts';
import type { Sessions } from '../sessions.ts';

/** What the door leads to. */
export interface HttpContext {
  readonly core: CoreThread;
  readonly sessions: Sessions;
  /** What agents are offered, and what the page is. */
  readonly agents: ToolFilter;
  readonly explorer: ToolFilter;
  /** What the page is told about this server. */
  readonly about: Readonly<Record<string, unknown>>;
}
