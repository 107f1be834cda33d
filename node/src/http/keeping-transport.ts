import { randomUUID } from 'node:crypto';
import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

type Parent = WebStandardStreamableHTTPServerTransport;

/** Notifications that are kept at most. Repeated ones count once; a client seldom subscribes to more resources. */
const MAX_KEPT = 1024;
/** Streams that a client may open with GET; the earliest is ended for a further one. */
const MAX_STREAMS = 16;

/**
 * The transport of a session. Notifications that belong to no request are sent in a stream that the client opens with
 * GET. It may open several: each notification is sent in the latest one. Those for which there is none are kept for the
 * next one, each once.
 */
export class KeepingTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #kept = new Map<string, JSONRPCMessage>();
  /** The ids of the open streams, the latest last. */
  readonly #streams: string[] = [];

  override async send(message: JSONRPCMessage, options?: Parameters<Parent['send']>[1]): Promise<void> {
    const isOfStream = 'method' in message && options?.relatedRequestId === undefined;
    if (isOfStream && !this.#hasStream) this.#keep(message);
    else await super.send(message, options);
  }

  override async handleRequest(...args: Parameters<Parent['handleRequest']>): Promise<Response> {
    const [request] = args;
    const response = await (request.method === 'GET' ? this.#openStream(args) : super.handleRequest(...args));
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

  /** Ends all streams. The SDK would end one of those that were opened with GET. */
  override async close(): Promise<void> {
    for (const id of [...this.#streams]) this.#endStream(id);
    await super.close();
  }

  /** Opens a stream for a request, which ends when its client has left. The SDK knows one stream at a time. */
  async #openStream(args: Parameters<Parent['handleRequest']>): Promise<Response> {
    const id = randomUUID();
    this['_standaloneSseStreamId'] = id;
    const response = await super.handleRequest(...args);
    if (this['_streamMapping'].has(id)) this.#streams.push(id);
    this.#selectLatest();
    const [{ signal }] = args;
    signal.addEventListener('abort', () => this.#endStream(id));
    if (signal.aborted) this.#endStream(id);
    const [earliest] = this.#streams;
    if (earliest !== undefined && this.#streams.length > MAX_STREAMS) this.#endStream(earliest);
    return response;
  }

  #endStream(id: string): void {
    const index = this.#streams.indexOf(id);
    if (index === -1) return;
    this.#streams.splice(index, 1);
    // The SDK ends the selected stream.
    this['_standaloneSseStreamId'] = id;
    this.closeStandaloneSSEStream();
    this.#selectLatest();
  }

  #selectLatest(): void {
    this['_standaloneSseStreamId'] = this.#streams.at(-1) ?? '';
  }

  get #hasStream(): boolean {
    return this['_streamMapping'].has(this['_standaloneSseStreamId']);
  }

  #keep(message: JSONRPCMessage): void {
    if (this.#kept.size < MAX_KEPT) this.#kept.set(JSON.stringify(message), message);
  }
}
