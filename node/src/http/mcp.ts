/** MCP over streamable HTTP: up to 2025-11-25 with a session for each client, since 2026-07-28 without. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { ToolFilter } from '../tool-filter.ts';
import type { Sessions } from '../sessions.ts';
import { acceptedTypes, NOT_ACCEPTABLE } from './accept.ts';
import { type Access, ownerOf } from './access.ts';
import { isJson, MAX_BODY_BYTES, readBody } from './body.ts';
import { KeepingTransport } from './keeping-transport.ts';
import { isModern, isModernVersion, ModernEndpoint } from './modern.ts';
import { BATCH_VERSION, batchProblem, NO_BATCHES } from '../batches.ts';
import { isId, isObject, parseMessage } from '../exact-json.ts';
import { idOf as messageId, knownMembers, messageOf, requestError } from '../json-rpc.ts';
import {
  BAD_REQUEST,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  ProtocolError,
} from '../protocol-error.ts';
import { clientParam, objectParam, type Params, textParam } from '../protocol-server.ts';
import { isListenRequest, listenProblem, MAX_CLIENT_STREAMS, MAX_STREAMS } from '../subscriptions.ts';
import type { Owner } from '../connected-clients.ts';
import { QueuedBytes } from './queued-bytes.ts';
import { idOf, type RequestId } from './request-id.ts';
import { answerWeb } from './web.ts';
import { refuseWithId } from './refused-body.ts';
import {
  answerJson,
  methodNotAllowed,
  NOT_JSON,
  type Refusal,
  refuse,
  refuseMessage,
  SHUTTING_DOWN,
} from './respond.ts';

/**
 * Maximum number of sessions. Clients rarely end them, so the least recently used idle session is closed for a new one.
 */
const MAX_SESSIONS = 128;
/** Maximum number of sessions of a token at an address, so that one client does not displace all others. */
const MAX_CLIENT_SESSIONS = 64;
/** Maximum number of sessions of a named token, at all addresses together. */
const MAX_TOKEN_SESSIONS = 32;
/** When a client that is refused for too many requests or sessions may try again. */
const RETRY_SECONDS = 5;
const LABEL_CHARS = 8;
/** Maximum size of the body of a request that listens. */
const MAX_LISTEN_BYTES = 64 * 1024;
const SESSION_NOT_FOUND = -32_001;
/** Fields that are read of a client's description, or of its capabilities, if some of them are invalid. */
const MAX_PARTLY_VALID = 64;

interface Session {
  /** The token that began it; no other may use it. */
  readonly holder: string;
  /** The token and the address that began it. */
  readonly client: string;
  readonly transport: KeepingTransport;
  /** Whether its version of the protocol has batches. */
  readonly hasBatches: boolean;
  /** Requests and streams that are open. */
  open: number;
}

/** Forwards requests to their sessions. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  /** Limits the bytes of requests without an answer. */
  readonly #queued = new QueuedBytes();
  /** Sessions by id, the least recently used first. */
  readonly #byId = new Map<string, Session>();
  /** Endpoints of clients without a session, by tools and token. */
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
        const session = this.#sessionOf(request, response, access.holder, null);
        if (session === undefined) return;
        const isRefused = request.method === 'GET' && !acceptedTypes(request).stream;
        if (isRefused) return refuseMessage(response, NOT_ACCEPTABLE, null);
        await this.#forward(session, request, response, undefined);
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
    const owner = ownerOf(access);
    this.#pendingPosts += 1;
    let isPending = true;
    const end = (): void => {
      if (!isPending) return;
      isPending = false;
      this.#pendingPosts -= 1;
      if (this.#pendingPosts === 0) this.#ondrained();
    };
    response.once('close', end);
    if (!isJson(request)) return refuseWithId(request, response, NOT_JSON);
    const accepted = acceptedTypes(request);
    if (!accepted.json && !accepted.stream) return refuseWithId(request, response, NOT_ACCEPTABLE);
    const reservation = this.#queued.reserve(clientOf(request, owner));
    response.once('close', () => reservation.release());
    const body = await readBody(request, { reservation });
    if ('problem' in body) {
      if (body.problem === 'too large') return refuseMessage(response, TOO_LARGE, null);
      if (body.whole === undefined) return refuseMessage(response, this.#tooManyBytes(), null);
      return refuseWithId(request, response, this.#tooManyBytes(), body.whole);
    }
    let message: unknown;
    try {
      const parsed = parseMessage(body.text);
      message = Array.isArray(parsed) ? parsed.map(knownMembers) : knownMembers(parsed);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return answerError(response, 400, PARSE_ERROR, `The body is not valid JSON: ${reason}`, null);
    }
    const id = idOf(message);
    if ([message].flat().some((one) => isObject(one) && 'method' in one && 'id' in one && !isId(one['id']))) {
      return answerError(response, 400, INVALID_REQUEST, 'The id must be a string or an integer', id);
    }
    if (this.#isStopping) return refuseMessage(response, SHUTTING_DOWN, id);
    // The request that it cancels may have reached the limit.
    const isCancellation = isObject(message) && message['method'] === 'notifications/cancelled';
    if (reservation.isBeyond && !isCancellation) return refuseMessage(response, this.#tooManyBytes(), id);
    if (isModern(request, message)) {
      // A stream ends when the server is closed, and keeps neither it from closing nor its bytes.
      if (isListenRequest(message)) {
        if (!accepted.stream) return refuseMessage(response, NOT_ACCEPTABLE, id);
        if (Buffer.byteLength(body.text) > MAX_LISTEN_BYTES) return refuseMessage(response, LISTEN_TOO_LARGE, id);
        const problem = listenProblem(message);
        if (problem !== undefined) return answerError(response, 200, INVALID_PARAMS, problem, id);
        const full = this.#streamProblem(owner.holder);
        if (full !== undefined) return answerError(response, 200, INTERNAL_ERROR, full, id);
        end();
        reservation.release();
      }
      return this.#modernEndpoint(toolFilter, owner).handle(request, response, message);
    }
    if (!Array.isArray(message) && messageOf(message) === undefined) {
      return answerError(response, 400, INVALID_REQUEST, requestError(message), messageId(message));
    }
    if (id !== null && isInitialization(message) && request.headers['mcp-session-id'] === undefined) {
      const version = request.headers['mcp-protocol-version'];
      if (typeof version === 'string' && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
        return refuseMessage(response, UNSUPPORTED_VERSION, id);
      }
      const whole = wholeInitialization(message);
      if (whole instanceof ProtocolError) return answerError(response, 200, whole.code, whole.message, id);
      const refusal = this.#evictIdleSession(access, clientOf(request, owner));
      if (refusal !== undefined) return refuseMessage(response, refusal, id);
      return this.#begin(request, response, whole, owner, toolFilter);
    }
    if (Array.isArray(message) && request.headers['mcp-session-id'] === undefined) {
      return answerError(response, 400, INVALID_REQUEST, NO_BATCHES, null);
    }
    const session = this.#sessionOf(request, response, owner.holder, id);
    if (session === undefined) return;
    if (Array.isArray(message)) {
      const problem = session.hasBatches ? batchProblem(message) : NO_BATCHES;
      if (problem !== undefined) return answerError(response, 400, INVALID_REQUEST, problem, null);
      const invalid: unknown = message.find((one) => messageOf(one) === undefined);
      if (invalid !== undefined) return answerError(response, 400, INVALID_REQUEST, requestError(invalid), null);
    }
    await this.#forward(session, request, response, message);
  }

  /** Why no further stream of a token can be opened; `undefined` if one can. */
  #streamProblem(holder: string): string | undefined {
    const byHolders = [...this.#modern.values()];
    const count = (endpoints: readonly ModernEndpoint[]): number =>
      endpoints.reduce((sum, { streams }) => sum + streams, 0);
    if (count(byHolders.flatMap((byHolder) => [...byHolder.values()])) >= MAX_STREAMS) {
      return `${MAX_STREAMS} streams of notifications are open: end one of them first`;
    }
    if (count(byHolders.flatMap((byHolder) => byHolder.get(holder) ?? [])) < MAX_CLIENT_STREAMS) return undefined;
    return `${MAX_CLIENT_STREAMS} streams of notifications are open for this token or client: end one of them first`;
  }

  #tooManyBytes(): Refusal {
    const { client, all } = this.#queued.limits;
    return tooMany(
      429,
      'too_many_bytes',
      `Requests without an answer may have ${client} bytes for a client and ${all} for all: wait for answers, or ` +
        'cancel a request',
    );
  }

  #modernEndpoint(toolFilter: ToolFilter, owner: Owner): ModernEndpoint {
    const byHolder = this.#modern.get(toolFilter) ?? new Map<string, ModernEndpoint>();
    this.#modern.set(toolFilter, byHolder);
    const endpoint = byHolder.get(owner.holder) ?? new ModernEndpoint(this.#sessions, toolFilter, owner);
    byHolder.set(owner.holder, endpoint);
    return endpoint;
  }

  async #begin(
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
    owner: Owner,
    toolFilter: ToolFilter,
  ): Promise<void> {
    const id = randomUUID();
    const session: Session = {
      holder: owner.holder,
      client: clientOf(request, owner),
      hasBatches: versionIn(message) === BATCH_VERSION,
      open: 0,
      transport: new KeepingTransport({
        sessionIdGenerator: () => id,
        onsessioninitialized: () => {
          this.#byId.set(id, session);
        },
      }),
    };
    session.transport.onclose = () => this.#byId.delete(id);
    await this.#sessions.open(session.transport, toolFilter, id.slice(0, LABEL_CHARS), owner);
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
    await answerWeb(request, response, idOf(message), (web) => {
      return transport.handleRequest(web, { parsedBody: message });
    });
  }

  /** The session of a request; without one the request is refused with its id. */
  #sessionOf(
    request: IncomingMessage,
    response: ServerResponse,
    holder: string,
    requestId: RequestId,
  ): Session | undefined {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      answerError(response, 400, BAD_REQUEST, 'The header Mcp-Session-Id is missing: send initialize first', requestId);
      return undefined;
    }
    const session = this.#byId.get(id);
    if (session?.holder !== holder) {
      answerError(
        response,
        404,
        SESSION_NOT_FOUND,
        'The session does not exist any more: start a new one with initialize',
        requestId,
      );
      return undefined;
    }
    this.#byId.delete(id);
    this.#byId.set(id, session);
    return session;
  }

  /** Closes the least recently used idle session if a limit is reached. Returns why no session can be added. */
  #evictIdleSession({ holder, token }: Access, client: string): Refusal | undefined {
    const sessions = [...this.#byId.values()];
    const ofClient = sessions.filter((session) => session.client === client);
    const ofToken = token === undefined ? [] : sessions.filter((session) => session.holder === holder);
    const own =
      ofToken.length >= MAX_TOKEN_SESSIONS ? ofToken : ofClient.length >= MAX_CLIENT_SESSIONS ? ofClient : undefined;
    if (own === undefined && sessions.length < MAX_SESSIONS) return undefined;
    const idle = (own ?? sessions).find(({ open }) => open === 0);
    void idle?.transport.close();
    if (idle !== undefined) return undefined;
    return own === undefined ? SERVER_FULL : tooManySessions(own.length);
  }
}

/** An initialisation, whose parameters are unchecked. */
interface Initialization {
  readonly params?: Params;
}

function isInitialization(message: unknown): message is Initialization {
  return isObject(message) && message['method'] === 'initialize';
}

/** An initialisation as the SDK requires it, or why its parameters are invalid. What they lack is empty. */
function wholeInitialization(message: Initialization): unknown {
  const { params = {} } = message;
  try {
    const protocolVersion = textParam(params, 'protocolVersion', 'initialize');
    const capabilities = objectParam(params, 'capabilities', 'initialize');
    const { name, version, ...others } = clientParam(params);
    const description: Params = { ...others };
    const whole = (able: Params, described: Params): object => ({
      ...message,
      params: { protocolVersion, capabilities: able, clientInfo: { ...described, name, version } },
    });
    const complete = whole(capabilities, description);
    if (isInitializeRequest(complete)) return complete;
    // Fields of a wrong type have no effect, as on stdio.
    const able = fieldsThat((field) => isInitializeRequest(whole(field, {})), capabilities);
    const described = fieldsThat((field) => isInitializeRequest(whole({}, field)), description);
    return whole(able, described);
  } catch (error) {
    return error;
  }
}

/** The fields of an object that are valid alone; of many, only the first ones. */
function fieldsThat(isValid: (field: Params) => boolean, object: Params): Params {
  const fields = Object.entries(object).slice(0, MAX_PARTLY_VALID);
  return Object.fromEntries(fields.filter(([name, value]) => isValid({ [name]: value })));
}

/** The version of the protocol that a client requests at initialisation, which the server speaks. */
function versionIn(message: unknown): unknown {
  const params = isObject(message) ? message['params'] : undefined;
  return isObject(params) ? params['protocolVersion'] : undefined;
}

/** The client that quotas are counted for: a token at an address. */
function clientOf({ socket }: IncomingMessage, { holder }: Owner): string {
  return `${holder} ${socket.remoteAddress ?? ''}`;
}

const TOO_LARGE: Refusal = {
  status: 413,
  code: 'too_large',
  error: `The body must have at most ${MAX_BODY_BYTES} bytes: send less at once`,
};

const UNSUPPORTED_VERSION: Refusal = {
  status: 400,
  code: 'unsupported_version',
  error:
    'The header MCP-Protocol-Version names a version that this server does not support: send the one that initialize ' +
    'answered',
};

const LISTEN_TOO_LARGE: Refusal = {
  status: 413,
  code: 'too_large',
  error: `A request that listens has at most ${MAX_LISTEN_BYTES} bytes: name the resources in several requests`,
};

const SERVER_FULL = tooMany(
  503,
  'too_many_sessions',
  `The maximum of ${MAX_SESSIONS} sessions is in use: disconnect a client, or try again later`,
);

function tooManySessions(count: number): Refusal {
  return tooMany(
    429,
    'too_many_sessions',
    `All of the ${count} sessions of this client are in use: end one of them with DELETE`,
  );
}

function tooMany(status: 429 | 503, code: string, error: string): Refusal {
  return { status, code, error, headers: { 'Retry-After': String(RETRY_SECONDS) } };
}

function answerError(response: ServerResponse, status: number, code: number, message: string, id: RequestId): void {
  answerJson(response, { jsonrpc: '2.0', id, error: { code, message } }, status);
}
