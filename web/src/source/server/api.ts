/** The server's API beside MCP. Every request carries the token. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ServerCall } from 'limbic-shell/server-call.ts';
import type { NewToken, SessionList, TokenList } from '../server-settings.ts';

export type ServerEvent =
  | { readonly type: 'hello'; readonly instance: string; readonly last_call: number }
  | { readonly type: 'changed' }
  | ({ readonly type: 'call' } & ServerCall);

/** The server's status. */
export interface ServerStatus {
  /** Whether it was started with `--read-only`. */
  readonly read_only?: boolean;
  /** Whether the database file is encrypted. */
  readonly encrypted?: boolean;
  /** Whether deleted records are overwritten where the memory is stored; absent from servers of earlier versions. */
  readonly overwrites?: boolean;
}

/** How long the creation of a token may take: its dialog cannot be left before. */
const MAX_CREATION_MILLIS = 30_000;
/** As an error response of the server. */
const NOT_CREATED = {
  error:
    `The server has not answered for ${MAX_CREATION_MILLIS / 1000} seconds: ` +
    'the token may exist, but its text is lost.',
  code: 'server_unreachable',
  hint: 'If the token appears in the list, revoke it there, and create another one.',
};

export class Api {
  readonly #base: string;
  readonly #token: string;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  /** The server's events, until the connection is closed. */
  async *events(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const response = await this.#get('api/events', signal);
    if (response.body === null) return;
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    const reader = events.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield JSON.parse(next.value.data) as ServerEvent;
    }
  }

  async status(): Promise<ServerStatus> {
    return (await this.#get('api/status')).json() as Promise<ServerStatus>;
  }

  /** The calls after a call, oldest first. */
  async calls(after: number): Promise<readonly ServerCall[]> {
    const response = await this.#get(`api/calls?after=${after}`);
    return ((await response.json()) as { calls: ServerCall[] }).calls;
  }

  async database(): Promise<Blob> {
    return (await this.#get('api/database')).blob();
  }

  async tokens(): Promise<TokenList> {
    return (await this.#get('api/tokens')).json() as Promise<TokenList>;
  }

  /** Creates a token. Returns its text, which the server does not store. */
  async createToken(token: NewToken): Promise<string> {
    const body = JSON.stringify(token);
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(MAX_CREATION_MILLIS);
    try {
      const response = await this.#send('api/tokens', { method: 'POST', body, headers, signal });
      return ((await response.json()) as { token: string }).token;
    } catch (error) {
      throw signal.aborted ? new Error(JSON.stringify(NOT_CREATED)) : error;
    }
  }

  async revokeToken(name: string): Promise<void> {
    await this.#send(`api/tokens?name=${encodeURIComponent(name)}`, { method: 'DELETE' });
  }

  async sessions(): Promise<SessionList> {
    return (await this.#get('api/sessions')).json() as Promise<SessionList>;
  }

  async endSession(id: string): Promise<void> {
    await this.#send(`api/sessions?id=${encodeURIComponent(id)}`, { method: 'DELETE' });
  }

  #get(path: string, signal?: AbortSignal): Promise<Response> {
    return this.#send(path, signal === undefined ? {} : { signal });
  }

  async #send(path: string, init: RequestInit & { readonly headers?: Record<string, string> }): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
    const response = await fetch(new URL(path, this.#base), { ...init, headers });
    // Error responses have the format of tool errors.
    if (!response.ok) throw new Error(await response.text());
    return response;
  }
}
