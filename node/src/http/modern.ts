/** MCP over HTTP without sessions (protocol 2026-07-28): each request is served by itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest, createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from '../log.ts';
import type { Owner } from '../connected-clients.ts';
import type { Sessions } from '../sessions.ts';
import { isListenRequest, type ListenRequest, MAX_STREAMS, type Subscriptions } from '../subscriptions.ts';
import { MODERN_VERSIONS } from '../protocol-server.ts';
import type { ToolFilter } from '../tool-filter.ts';
import { idOf } from './request-id.ts';
import { answerWeb } from './web.ts';

/** Time for the last lines of streams at shutdown. */
const STREAM_END_MILLIS = 200;

/** Whether a POST is of protocol 2026-07-28, or is to be refused in its terms. */
export function isModern({ headers }: IncomingMessage, body: unknown): boolean {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: header(headers['mcp-protocol-version']),
    mcpMethodHeader: header(headers['mcp-method']),
    mcpNameHeader: header(headers['mcp-name']),
    body,
  });
  if (outcome.kind !== 'reject') return outcome.kind === 'modern';
  // Invalid messages get the errors of the older protocol, unless a part is of the newer one.
  return outcome.rung !== 'jsonrpc-shape' || outcome.cell === 'batch-with-modern-element';
}

/** Whether a request without a body is of a client without a session. */
export function isModernVersion({ headers }: IncomingMessage): boolean {
  const version = header(headers['mcp-protocol-version']);
  return version !== undefined && MODERN_VERSIONS.includes(version) && headers['mcp-session-id'] === undefined;
}

/** Serves an address to the clients of one token that have no sessions. */
export class ModernEndpoint {
  readonly #subscriptions: Subscriptions;
  readonly #handler: McpHttpHandler;
  /** Responses that stay open. */
  readonly #streams = new Set<ServerResponse>();

  /** @param owner the token that the clients have sent. */
  constructor(sessions: Sessions, toolFilter: ToolFilter, owner: Owner) {
    this.#subscriptions = sessions.subscriptions(toolFilter, (uri) => this.#handler.notify.resourceUpdated(uri));
    this.#handler = createMcpHandler(() => sessions.forRequest(toolFilter, this.#subscriptions, owner), {
      legacy: 'reject',
      maxSubscriptions: MAX_STREAMS,
      onerror: (error) => log(error.message),
    });
  }

  /** The number of streams that are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Answers a POST with this body. */
  async handle(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const parsedBody = isListenRequest(message) ? await this.#watched(message, response) : message;
    await answerWeb(request, response, idOf(message), (web) => this.#handler.fetch(web, { parsedBody }));
  }

  /** Ends the streams with a last message. */
  async close(): Promise<void> {
    await this.#handler.close();
    const ended = [...this.#streams].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    const late = new Promise((resolve) => setTimeout(resolve, STREAM_END_MILLIS).unref());
    await Promise.race([Promise.all(ended), late]);
  }

  /** Registers the subscription of a request; the response is the key, since request ids are not unique here. */
  async #watched(message: ListenRequest, response: ServerResponse): Promise<ListenRequest> {
    this.#streams.add(response);
    response.once('close', () => {
      this.#streams.delete(response);
      this.#subscriptions.remove(response);
    });
    try {
      const watched = await this.#subscriptions.listen(response, message);
      if (response.destroyed) this.#subscriptions.remove(response);
      return watched;
    } catch (error) {
      log(`changes of the memory are not watched: ${textOf(error)}`);
      return message;
    }
  }
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
