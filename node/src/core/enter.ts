import type { Core } from 'limbic-pkg/core/limbic_core.js';
import type { Caller, CoreSession } from '../messages.ts';

/** Makes a session of the core stateless: its calls are independent of earlier ones. */
function enter(core: Core, session: CoreSession | undefined): void {
  if (session?.isStateless === true) core.enter_stateless(session.id);
}

/** Enters the session of a call, which stores in the name of its caller. */
export function enterAs(
  core: Core,
  { session, caller }: { readonly session: CoreSession | undefined; readonly caller: Caller },
): void {
  enter(core, session);
  core.introduce(session?.id, caller.kind, caller.client, caller.project, caller.folder);
}
