/** The settings of a server: its named tokens, and the clients that are connected. */
import type { Answer } from './tools.ts';

/** A named token; its text is not stored anywhere. */
export interface ListedToken {
  readonly name: string;
  /** Default: the toolsets of the server. */
  readonly toolsets?: readonly string[];
  readonly read_only: boolean;
  /** The only user whose memories it reaches. */
  readonly user?: string;
  readonly explorer: boolean;
  readonly created?: string;
  readonly expires?: string;
  readonly last_used?: string;
}

/** The tokens that the page may see. */
export interface TokenList {
  readonly can_change: boolean;
  /** The reason why nothing can be changed. */
  readonly reason?: string;
  /** Missing if the page may not see them. */
  readonly tokens?: readonly ListedToken[];
  /** The toolsets that a token may name, and those that one with a user may. */
  readonly toolsets?: readonly string[];
  readonly toolsets_of_users?: readonly string[];
  /** The only user whose memories the server reaches. */
  readonly user?: string;
}

/** The fields of a new token; omitted ones set no limit. */
export interface NewToken {
  readonly name: string;
  readonly toolsets?: readonly string[];
  readonly read_only: boolean;
  readonly user?: string;
  readonly explorer: boolean;
  /** A number of days such as `90d`, or a date. */
  readonly expires?: string;
}

/** A client of the server. */
export interface ListedClient {
  /** Its session; a client without one cannot be ended. */
  readonly id?: string;
  /** The label of its calls in the call log. */
  readonly label: string;
  readonly client: string;
  readonly kind: 'stdio' | 'agents' | 'explorer' | 'token';
  readonly token?: string;
  readonly since: string;
  readonly last_call?: string;
  readonly calls: number;
}

export interface SessionList {
  readonly can_change: boolean;
  readonly sessions: readonly ListedClient[];
}

/** The calls of a page about the settings of its server. Never rejects; failures are returned as error answers. */
export interface ServerSettings {
  tokens(): Promise<Answer<TokenList>>;
  /** Returns the token's text, which cannot be read again. */
  createToken(token: NewToken): Promise<Answer<string>>;
  revokeToken(name: string): Promise<Answer<void>>;
  sessions(): Promise<Answer<SessionList>>;
  endSession(id: string): Promise<Answer<void>>;
  /** The label of this page's own session. */
  ownLabel(): Promise<string | undefined>;
}
