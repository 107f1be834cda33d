/** Texts of the settings view. */
import { day, millisOf } from '../../components/format.ts';
import type { ListedClient, ListedToken, NewToken } from '../../source/server-settings.ts';

/** The rights of a token, in a few words. */
export function rightsText({ toolsets, read_only, user, explorer }: ListedToken): string {
  const tools = toolsets === undefined ? 'the server’s toolsets' : toolsets.join(', ');
  const whose = user === undefined ? undefined : `memories of ${user} only`;
  return [tools, read_only ? 'read-only' : undefined, whose, explorer ? 'opens the explorer' : undefined]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** When a token expires or has expired. */
export function expiryText({ expires }: ListedToken, nowMillis: number): string {
  if (expires === undefined) return 'never';
  return millisOf(expires) <= nowMillis ? `expired ${day(expires)}` : day(expires);
}

/** How a client was authorised: by a token, or by starting the server. */
export function accessText({ kind, token }: Pick<ListedClient, 'kind' | 'token'>): string {
  switch (kind) {
    case 'token':
      return token ?? '';
    case 'agents':
      return 'the server’s token';
    case 'explorer':
      return 'the explorer’s token';
    case 'stdio':
      return 'standard input';
  }
}

/** The input of the form for a new token. */
export interface TokenForm {
  readonly name: string;
  /** Chosen toolsets; none means the server's. */
  readonly toolsets: readonly string[];
  readonly readOnly: boolean;
  readonly user: string;
  readonly explorer: boolean;
  /** A number of days such as `90d`; empty means that it does not expire. */
  readonly expires: string;
}

/** The token that a form describes; with a user, toolsets without tools for one user are left out. */
export function tokenOf(form: TokenForm, ofUsers: readonly string[]): NewToken {
  const user = form.user.trim();
  const toolsets = form.toolsets.filter((name) => user === '' || ofUsers.includes(name));
  return {
    name: form.name.trim(),
    ...(toolsets.length > 0 && { toolsets }),
    read_only: form.readOnly,
    ...(user !== '' && { user }),
    explorer: form.explorer && user === '',
    ...(form.expires !== '' && { expires: form.expires }),
  };
}
