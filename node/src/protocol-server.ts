/** The SDK's server, adapted: one instance for a connection, or in protocol 2026-07-28 over HTTP for a request. */
import {
  type Implementation,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  type Result,
  SERVER_INFO_META_KEY,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject } from './exact-json.ts';
import { IDENTITY, SHORT_IDENTITY } from './identity.ts';
import { echo } from './log.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError, RESOURCE_NOT_FOUND } from './protocol-error.ts';

/** The two kinds of protocol: with an initialisation and sessions (up to 2025-11-25), and without (2026-07-28). */
export type ProtocolEra = 'legacy' | 'modern';

/** The versions without sessions: each request names its version. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** The parameters of a request, unchecked. */
export type Params = Readonly<Record<string, unknown>>;

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** How long the lists may be cached: they change with the options of the server only. */
const LIST_MILLIS = 3_600_000;
/** The memory may change at any time, and is private to its user. */
const CONTENT = { ttlMs: 0, cacheScope: 'private' } as const;

/** Accepts any parameters: the handlers validate those that they use, with more specific errors. */
const ANY_PARAMS: StandardSchemaV1<Params, Params> = {
  '~standard': { version: 1, vendor: 'limbic', validate: (value) => ({ value: value as Params }) },
};

/** A server of the SDK with the same handlers in both eras. */
export class ProtocolServer extends Server {
  readonly era: ProtocolEra;
  /** Requests whose resource does not exist. */
  readonly #notFound = new Set<RequestId>();

  /**
   * @param instructions the instructions for the client's model.
   * @param cacheScope for whom lists may be cached: they may depend on the client's token.
   */
  constructor(era: ProtocolEra, instructions: string | undefined, cacheScope: 'public' | 'private') {
    const list = { ttlMs: LIST_MILLIS, cacheScope };
    super(IDENTITY, {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      ...(instructions === undefined ? {} : { instructions }),
      cacheHints: {
        'server/discover': list,
        'tools/list': list,
        'prompts/list': list,
        'resources/list': list,
        'resources/templates/list': list,
        'resources/read': CONTENT,
      },
    });
    this.era = era;
    if (era === 'modern') return;
    this.#handleBeginning();
    // In protocol 2026-07-28 the SDK answers before it looks for a handler, with the HTTP status of the protocol.
    this.fallbackRequestHandler = async ({ method }) => {
      throw new ProtocolError(METHOD_NOT_FOUND, `unknown method ${echo(method)}`);
    };
  }

  /** Sets the handler of a method. Its parameters are not validated before. */
  handle(method: string, handler: (params: Params, context: ServerContext) => Promise<unknown>): void {
    this.setRequestHandler(method, { params: ANY_PARAMS }, async (params, context) => {
      if (method.endsWith('/list')) requireFirstPage(params, method);
      try {
        return (await handler(params, context)) as Result;
      } catch (error) {
        if (error instanceof ProtocolError && error.code === RESOURCE_NOT_FOUND) this.#notFound.add(context.mcpReq.id);
        throw error;
      }
    });
  }

  /** Answers the first messages without the SDK's schemas, which take longer to build than everything else at start. */
  #handleBeginning(): void {
    this.handle('initialize', async (params) => {
      const protocolVersion = textParam(params, 'protocolVersion', 'initialize');
      const capabilities = objectParam(params, 'capabilities', 'initialize');
      const clientInfo = clientParam(params);
      return this['_oninitialize']({ method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
    });
    this.handle('ping', async () => ({}));
    this.setNotificationHandler('notifications/initialized', { params: ANY_PARAMS }, () => {});
  }

  override async connect(transport: Transport): Promise<void> {
    if (this.era === 'legacy') {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => send(this.#withLegacyCode(message), options);
    }
    await super.connect(transport);
    if (this.era === 'modern') refuseBadResponses(transport);
  }

  /** The SDK sends the newer code for an unknown resource in both eras. */
  #withLegacyCode(message: JSONRPCMessage): JSONRPCMessage {
    if (!('error' in message) || message.id === undefined || !this.#notFound.delete(message.id)) return message;
    if (message.error.code !== INVALID_PARAMS) return message;
    return { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } };
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    // The SDK's checks of calls and results copy both, and answer a malformed call with a dump of a schema.
    if (method === 'tools/call') return handler;
    if (method !== 'server/discover') return super._wrapHandler(method, handler);
    return super._wrapHandler(method, async (request, context) => ({
      ...(await handler(request, context)),
      _meta: { [SERVER_INFO_META_KEY]: IDENTITY },
    }));
  }

  protected override _outboundServerInfo(): Implementation {
    return SHORT_IDENTITY;
  }
}

/** Answers requests whose `inputResponses` are not a JSON object: to the SDK, these look like none. */
function refuseBadResponses(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    const responses = 'params' in message ? message.params?.['inputResponses'] : undefined;
    if (responses === undefined || isObject(responses) || !isJSONRPCRequest(message)) {
      onmessage?.(message, extra);
      return;
    }
    const error = { code: INVALID_PARAMS, message: '"inputResponses" must be a JSON object' };
    void transport.send({ jsonrpc: '2.0', id: message.id, error });
  };
}

/** Refuses the cursor of a list: each list has one page, so that no cursor is one of this server. */
function requireFirstPage({ cursor }: Params, method: string): void {
  if (cursor === undefined || cursor === null) return;
  throw new ProtocolError(INVALID_PARAMS, `the cursor of ${method} is invalid: omit it, since the list has one page`);
}

/** A parameter that must be a text. */
export function textParam(params: Params, name: string, method: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new ProtocolError(INVALID_PARAMS, `${method} requires "${name}", a text`);
}

/** A parameter that must be a JSON object if it is given. */
export function objectParam(params: Params, name: string, method: string): Params {
  const value = params[name] ?? {};
  if (params[name] !== null && isObject(value)) return value;
  throw new ProtocolError(INVALID_PARAMS, `the "${name}" of ${method} must be a JSON object`);
}

/** The client's description in the parameters of `initialize`. A name or version that is no text is empty. */
export function clientParam(params: Params): Implementation {
  const { name, version, ...others } = objectParam(params, 'clientInfo', 'initialize');
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { ...others, name: textOf(name), version: textOf(version) };
}
