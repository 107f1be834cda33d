/** MCP over streamable HTTP: up to 2025-11-25 with a session for each client, since 2026-07-28 without. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { ToolFilter } from '../tool-filter.ts';
import type { Sessions } from '../sessions.ts';
import type { Access } from './access.ts';
import { BODY_BYTES_MAX, readBody } from './body.ts';
import { isModern, isModernVersion, ModernEndpoint } from './modern.ts';
import { answerWeb } from './web.ts';
import { answerJson, methodNotAllowed, type Refusal, refuse, SHUTTING_DOWN } from './respond.ts';

/** Maximum number of sessions. Clients rarely end them, so the least recently used idle session is closed for a new one. */
const SESSIONS_MAX = 64;
/** Maximum number of sessions of a named token, so that one client does not take the place of all others. */
const TOKEN_SESSIONS_MAX = 32;
const LABEL_CHARS = 8;
const PARSE_ERROR = -32_700;
const SESSION_NOT_FOUND = -32_001;
const BAD_REQUEST = -32_000;

interface Session {
  /** The token that began it; no other may use it. */
  readonly holder: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams that are open. */
  open: number;
}

/** Forwards requests to their sessions. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  /** In order of last use, the least recent first. */
  readonly #byId = new Map<string, Session>();
  /** By tools and token. */
  readonly #modern = new Map<ToolFilter, Map<string, ModernEndpoint>>();
  /** Requests without a response so far. */
  #pendingPosts = 0;
  #ondrained: () => void = () => {};
  #isStopping = false;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Handles a request. `toolFilter` applies to a session that the request opens. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    access: Access,
    toolFilter: ToolFilter,
  ): Promise<void> {
    switch (request.method) {
      case 'POST':
        return this.#post(request, response, access, toolFilter);
      case 'GET':
      case 'DELETE': {
        if (isModernVersion(request)) return refuse(response, methodNotAllowed('POST'));
        const session = this.#sessionOf(request, response, access.holder);
        if (session !== undefined) await this.#forward(session, request, response, undefined);
        return;
      }
      default:
        refuse(response, methodNotAllowed('POST', 'GET', 'DELETE'));
    }
  }

  /** Whether new requests are rejected. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Rejects new requests. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Resolves when every request has been answered. */
  drained(): Promise<void> {
    if (this.#pendingPosts === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#ondrained = resolve;
    });
  }

  /** Ends every session and stream. */
  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#byId.values()].map(({ transport }) => transport.close()),
      ...[...this.#modern.values()].flatMap((byHolder) => [...byHolder.values()].map((endpoint) => endpoint.close())),
    ]);
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    access: Access,
    toolFilter: ToolFilter,
  ): Promise<void> {
    const { holder } = access;
    this.#pendingPosts += 1;
    let isPending = true;
    const settle = (): void => {
      if (!isPending) return;
      isPending = false;
      this.#pendingPosts -= 1;
      if (this.#pendingPosts === 0) this.#ondrained();
    };
    response.once('close', settle);
    const text = await readBody(request);
    if (text === undefined) return refuse(response, TOO_LARGE);
    if (this.#isStopping) return refuse(response, SHUTTING_DOWN);
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return answerError(response, 400, PARSE_ERROR, `The body is not valid JSON: ${reason}`);
    }
    if (isModern(request, message)) {
      // A stream ends when the server is closed, and does not keep it from closing.
      if (ModernEndpoint.isStream(message)) settle();
      return this.#modernEndpoint(toolFilter, holder).handle(request, response, message);
    }
    if (isInitializeRequest(message) && request.headers['mcp-session-id'] === undefined) {
      if (!this.#evictIdleSession(access)) return refuse(response, TOO_MANY_SESSIONS);
      return this.#begin(request, response, message, holder, toolFilter);
    }
    const session = this.#sessionOf(request, response, holder);
    if (session !== undefined) await this.#forward(session, request, response, message);
  }

  #modernEndpoint(toolFilter: ToolFilter, holder: string): ModernEndpoint {
    const byHolder = this.#modern.get(toolFilter) ?? new Map<string, ModernEndpoint>();
    this.#modern.set(toolFilter, byHolder);
    const endpoint = byHolder.get(holder) ?? new ModernEndpoint(this.#sessions, toolFilter, holder);
    byHolder.set(holder, endpoint);
    return endpoint;
  }

  async #begin(
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
    holder: string,
    toolFilter: ToolFilter,
  ): Promise<void> {
    const id = randomUUID();
    const session: Session = {
      holder,
      open: 0,
      transport: new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        onsessioninitialized: () => {
          this.#byId.set(id, session);
        },
      }),
    };
    session.transport.onclose = () => this.#byId.delete(id);
    await this.#sessions.open(session.transport, toolFilter, id.slice(0, LABEL_CHARS), holder);
    await this.#forward(session, request, response, message);
    if (!this.#byId.has(id)) await session.transport.close();
  }

  async #forward(
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
  ): Promise<void> {
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
    });
    const { transport } = session;
    await answerWeb(request, response, (web) => {
      // The stream of a client that has left must not keep it from opening another.
      if (web.method === 'GET') web.signal.addEventListener('abort', () => transport.closeStandaloneSSEStream());
      return transport.handleRequest(web, { parsedBody: message });
    });
  }

  #sessionOf(request: IncomingMessage, response: ServerResponse, holder: string): Session | undefined {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      answerError(response, 400, BAD_REQUEST, 'The header Mcp-Session-Id is missing: send initialize first');
      return undefined;
    }
    const session = this.#byId.get(id);
    if (session?.holder !== holder) {
      answerError(
        response,
        404,
        SESSION_NOT_FOUND,
        'The session does not exist any more: start a new one with initialize',
      );
      return undefined;
    }
    this.#byId.delete(id);
    this.#byId.set(id, session);
    return session;
  }

  /** Closes the least recently used idle session if a limit is reached. Returns whether a session can be added. */
  #evictIdleSession({ holder, token }: Access): boolean {
    const sessions = [...this.#byId.values()];
    const own = sessions.filter((session) => session.holder === holder);
    const isOwnLimit = token !== undefined && own.length >= TOKEN_SESSIONS_MAX;
    if (sessions.length < SESSIONS_MAX && !isOwnLimit) return true;
    const idle = (isOwnLimit ? own : sessions).find(({ open }) => open === 0);
    void idle?.transport.close();
    return idle !== undefined;
  }
}

const TOO_LARGE: Refusal = {
  status: 413,
  code: 'too_large',
  error: `The body is longer than ${BODY_BYTES_MAX} bytes: send it in parts`,
};

const TOO_MANY_SESSIONS: Refusal = {
  status: 503,
  code: 'too_many_sessions',
  error: `The maximum of ${SESSIONS_MAX} clients (${TOKEN_SESSIONS_MAX} with one named token) are connected: disconnect one of them`,
};

function answerError(response: ServerResponse, status: number, code: number, message: string): void {
  answerJson(response, { jsonrpc: '2.0', id: null, error: { code, message } }, status);
}
