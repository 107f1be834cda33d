/** The explorer's settings: named tokens and connected clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf } from 'limbic-shell/failure.ts';
import { tokenRights, toolsetsFor } from '../token-rights.ts';
import { describeToken, NAME_RULE, type TokenRights, TokenStore } from '../token-store.ts';
import { UsageError } from '../usage.ts';
import type { Access } from './access.ts';
import { isJson, readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { answerJson, methodNotAllowed, type Refusal, refuse, NOT_JSON } from './respond.ts';

/** A new token's name and rights are short. */
const MAX_BODY_BYTES = 64 * 1024;
const FIELDS: readonly string[] = ['name', 'toolsets', 'read_only', 'user', 'explorer', 'expires'];

type Handler = (request: IncomingMessage, response: ServerResponse, access: Access) => void | Promise<void>;

/**
 * Serves `/api/tokens` and `/api/sessions`. Tokens are listed and changed with the server's own token of the explorer
 * only, since a token that could create tokens would outlive its own revocation. A named token of the explorer sees the
 * sessions, whose calls the call log shows as well.
 */
export class SettingsApi {
  readonly #context: HttpContext;

  constructor(context: HttpContext) {
    this.#context = context;
  }

  /** The paths and their handlers. */
  routes(): [string, Handler][] {
    return [
      ['/api/tokens', (request, response, access) => this.#tokens(request, response, access)],
      ['/api/sessions', (request, response, access) => this.#sessions(request, response, access)],
    ];
  }

  async #tokens(request: IncomingMessage, response: ServerResponse, access: Access): Promise<void> {
    switch (request.method) {
      case 'GET':
        return this.#listTokens(response, access);
      case 'POST':
      case 'DELETE': {
        const refusal = this.#whyFixed(access);
        if (refusal !== undefined) return refuse(response, refusal);
        return request.method === 'POST' ? this.#createToken(request, response) : this.#revokeToken(request, response);
      }
      default:
        refuse(response, methodNotAllowed('GET', 'POST', 'DELETE'));
    }
  }

  async #sessions(request: IncomingMessage, response: ServerResponse, access: Access): Promise<void> {
    const { clients } = this.#context.sessions;
    switch (request.method) {
      case 'GET':
        return answerJson(response, { can_change: this.#whyFixed(access) === undefined, sessions: clients.list() });
      case 'DELETE': {
        const refusal = this.#whyFixed(access);
        if (refusal !== undefined) return refuse(response, refusal);
        const id = parameter(request, 'id');
        const ended = await clients.end(id);
        if (ended === true) return answerJson(response, { ended: id });
        return refuse(response, ended === undefined ? unknown('session', id) : NOT_ENDABLE);
      }
      default:
        refuse(response, methodNotAllowed('GET', 'DELETE'));
    }
  }

  #listTokens(response: ServerResponse, access: Access): void {
    const { tokens, toolsets, user } = this.#context;
    const reason = this.#whyFixed(access)?.error;
    if (access.token !== undefined) {
      answerJson(response, { can_change: false, reason });
      return;
    }
    answerJson(response, {
      can_change: reason === undefined,
      reason,
      tokens: tokens.list().map(describeToken),
      toolsets: toolsetsFor(undefined, toolsets),
      toolsets_of_users: toolsetsFor('', toolsets),
      // A server for one user has no others.
      user,
    });
  }

  async #createToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isJson(request)) return refuse(response, NOT_JSON);
    const body = await readBody(request, { bytesMax: MAX_BODY_BYTES });
    if ('problem' in body) return refuse(response, TOO_LARGE);
    let name: string;
    let rights: TokenRights;
    try {
      ({ name, rights } = this.#newToken(body.text));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return refuse(response, { status: 400, code: 'invalid_arguments', error: error.message });
    }
    const { tokens } = this.#context;
    if (tokens.list().some((token) => token.name === name)) {
      const error = `There is a token "${name}" already: choose another name, or revoke it first`;
      return refuse(response, { status: 409, code: 'name_taken', error });
    }
    try {
      answerJson(response, { name, token: tokens.create(name, rights) }, 201);
    } catch (error) {
      const reason = `The token could not be stored beside the database: ${textOf(error)}`;
      refuse(response, { status: 500, code: 'not_stored', error: reason });
    }
  }

  async #revokeToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { tokens, sessions } = this.#context;
    const name = parameter(request, 'name');
    if (!tokens.revoke(name)) return refuse(response, unknown('token', name));
    await sessions.clients.endOfToken(name);
    answerJson(response, { revoked: name });
  }

  /** Checks the fields of a new token. @throws UsageError */
  #newToken(text: string): { name: string; rights: TokenRights } {
    const given = parsed(text);
    const unknown = Object.keys(given).find((field) => !FIELDS.includes(field));
    if (unknown !== undefined) throw new UsageError(`A token has the fields ${FIELDS.join(', ')}, not "${unknown}"`);
    const { name, toolsets, user, expires } = given;
    if (typeof name !== 'string' || !TokenStore.isName(name)) throw new UsageError(NAME_RULE);
    const isList = Array.isArray(toolsets) && toolsets.length > 0 && toolsets.every((item) => typeof item === 'string');
    if (toolsets !== undefined && !isList)
      throw new UsageError('toolsets must be a list of names; omit it for the default');
    if (user !== undefined && (typeof user !== 'string' || user === '')) throw new UsageError('user must be a name');
    if (expires !== undefined && typeof expires !== 'string')
      throw new UsageError('expires must be a text such as 90d');
    const rights = tokenRights(
      {
        toolsets: toolsets as readonly string[] | undefined,
        readOnly: flag(given, 'read_only'),
        user,
        explorer: flag(given, 'explorer'),
        expires,
      },
      this.#context.toolsets,
      '',
    );
    const own = this.#context.user;
    if (own !== undefined && user !== undefined && user !== own) {
      throw new UsageError(`This server works for the user "${own}" only: it rejects tokens for other users`);
    }
    return { name, rights };
  }

  /** The reason why this request may not change tokens or sessions. */
  #whyFixed({ token }: Access): Refusal | undefined {
    if (token !== undefined) {
      const error =
        `The token "${token.name}" cannot list or change tokens, or end sessions: ` +
        'open the address that the server printed, or use limbic-memory token';
      return { status: 403, code: 'forbidden', error };
    }
    if (this.#context.about['read_only'] !== true) return undefined;
    const error = 'This server was started with --read-only: use limbic-memory token';
    return { status: 403, code: 'read_only', error };
  }
}

const TOO_LARGE: Refusal = {
  status: 413,
  code: 'too_large',
  error: `The body must have at most ${MAX_BODY_BYTES} bytes: send less at once`,
};

const NOT_ENDABLE: Refusal = {
  status: 409,
  code: 'not_endable',
  error: 'The session on standard input belongs to the client that started this server, and ends with that client',
};

function unknown(what: 'session' | 'token', name: string): Refusal {
  return { status: 404, code: 'not_found', error: `There is no ${what} "${name.slice(0, 100)}": it may have ended` };
}

function parameter({ url = '' }: IncomingMessage, name: string): string {
  return new URLSearchParams(url.split('?')[1]).get(name) ?? '';
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('The body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('The body must be a JSON object with the field "name"');
  }
  return value as Readonly<Record<string, unknown>>;
}

function flag(given: Readonly<Record<string, unknown>>, field: string): boolean {
  const value = given[field] ?? false;
  if (typeof value !== 'boolean') throw new UsageError(`${field} must be true or false`);
  return value;
}
