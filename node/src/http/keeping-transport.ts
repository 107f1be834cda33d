import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

type Parent = WebStandardStreamableHTTPServerTransport;

/** Notifications that are kept at most. Repeated ones count once; a client seldom subscribes to more resources. */
const MAX_KEPT = 1024;

/**
 * The transport of a session. Notifications that belong to no request are sent in a stream that the client opens, and
 * may open again: those for which there is none are kept for the next one, each once.
 */
export class KeepingTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #kept = new Map<string, JSONRPCMessage>();

  override async send(message: JSONRPCMessage, options?: Parameters<Parent['send']>[1]): Promise<void> {
    const isOfStream = 'method' in message && options?.relatedRequestId === undefined;
    if (isOfStream && !this.#hasStream) this.#keep(message);
    else await super.send(message, options);
  }

  override async handleRequest(...args: Parameters<Parent['handleRequest']>): Promise<Response> {
    const response = await super.handleRequest(...args);
    if (this.#kept.size > 0 && this.#hasStream) {
      const kept = [...this.#kept.values()];
      this.#kept.clear();
      for (const message of kept) await super.send(message);
    }
    return response;
  }

  /** Ends the stream of a cancelled request, unless other requests of its batch await their responses on it. */
  override closeSSEStream(requestId: string | number): void {
    const streams = this['_requestToStreamMapping'];
    const responses = this['_requestResponseMap'];
    const stream = streams.get(requestId);
    if (stream === undefined) return;
    streams.delete(requestId);
    const others = [...streams].filter(([, of]) => of === stream).map(([id]) => id);
    if (others.some((id) => !responses.has(id))) return;
    for (const id of others) {
      streams.delete(id);
      responses.delete(id);
    }
    this['_streamMapping'].get(stream)?.cleanup();
  }

  get #hasStream(): boolean {
    return this['_streamMapping'].has(this['_standaloneSseStreamId']);
  }

  #keep(message: JSONRPCMessage): void {
    if (this.#kept.size < MAX_KEPT) this.#kept.set(JSON.stringify(message), message);
  }
}
