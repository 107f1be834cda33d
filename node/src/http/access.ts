/** The access that the token of a request grants. */
import type { Owner } from '../connected-clients.ts';
import type { NamedToken } from '../token-store.ts';
import type { Refusal } from './respond.ts';

/** Who sends a request. */
export interface Access {
  /** Identifies the token: a session belongs to the token that began it. */
  readonly holder: string;
  /** The named token; `undefined` for the server's own tokens. */
  readonly token: NamedToken | undefined;
  /** Whether it serves agents, at `/mcp`. */
  readonly isForAgents: boolean;
  /** Whether it opens the explorer, which shows and edits everything. */
  readonly isForExplorer: boolean;
}

/** The owner of the sessions that a request opens. */
export function ownerOf({ holder, token, isForAgents }: Access): Owner {
  const kind = token !== undefined ? 'token' : isForAgents ? 'agents' : 'explorer';
  return { holder, kind, token: token?.name };
}

/** Rejects requests for the explorer with a token that does not open it. */
export function checkExplorer({ token, isForExplorer }: Access): Refusal | undefined {
  if (isForExplorer) return undefined;
  const whose = token === undefined ? 'The token of MCP clients' : `The token "${token.name}"`;
  return forbidden(
    `${whose} does not open the explorer: use the explorer's own, or create one with limbic-memory token create NAME --explorer`,
  );
}

/** Rejects agents' requests with a token that only opens the explorer. */
export function checkAgent({ isForAgents }: Access): Refusal | undefined {
  if (isForAgents) return undefined;
  return forbidden(
    "The explorer's token does not serve MCP clients: use the server's other token, or create one with limbic-memory token create NAME",
  );
}

/** Rejects a named token for another user than the server's. */
export function checkUser({ token }: Access, user: string | undefined): Refusal | undefined {
  if (user === undefined || token === undefined || token.explorer) return undefined;
  if (token.user === undefined || token.user === user) return undefined;
  return forbidden(`The token "${token.name}" is for another user than this server, which was started with --user`);
}

function forbidden(error: string): Refusal {
  return { status: 403, code: 'forbidden', error };
}
