/** The transport on stdio with the part of protocol 2026-07-28 that the SDK leaves to the server. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import { INVALID_PARAMS } from './protocol-error.ts';
import { MODERN_VERSIONS } from './protocol-server.ts';
import { isObject } from './exact-json.ts';
import type { StdioTransport } from './stdio.ts';
import { isListenRequest, listenProblem, type Subscriptions } from './subscriptions.ts';

/**
 * Passes messages on, and begins to watch the memory before a request that listens is acknowledged. A request for an
 * unknown version of the protocol is answered here: the SDK looks at the first request only.
 */
export class SubscribingTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;

  readonly #stdio: StdioTransport;
  readonly #subscriptions: Subscriptions;
  /** Requests that listen and are not passed on so far. */
  readonly #pending = new Set<string | number>();

  constructor(stdio: StdioTransport, subscriptions: Subscriptions) {
    this.#stdio = stdio;
    this.#subscriptions = subscriptions;
    stdio.onmessage = (message) => this.#receive(message);
    stdio.onerror = (error) => this.onerror?.(error);
    stdio.onclose = () => this.onclose?.();
  }

  start(): Promise<void> {
    return this.#stdio.start();
  }

  close(): Promise<void> {
    return this.#stdio.close();
  }

  send(message: JSONRPCMessage): Promise<void> {
    // The request was refused, or has ended.
    if (!('method' in message) && message.id !== undefined) this.#subscriptions.remove(keyOf(message.id));
    return this.#stdio.send(message);
  }

  #receive(message: JSONRPCMessage): void {
    if (isListenRequest(message)) {
      const problem = listenProblem(message);
      if (problem === undefined) void this.#listen(message);
      else this.#refuse(message.id, { code: INVALID_PARAMS, message: problem });
      return;
    }
    const requested = isJSONRPCRequest(message) ? claimedVersion(message.params) : undefined;
    if (requested !== undefined && !MODERN_VERSIONS.includes(requested)) {
      const {
        code,
        message: text,
        data,
      } = new UnsupportedProtocolVersionError({ supported: [...MODERN_VERSIONS], requested });
      const { id } = message as { id: string | number };
      this.#refuse(id, { code, message: text, data });
      return;
    }
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'] as string | number;
      this.#subscriptions.remove(keyOf(id));
      if (this.#pending.delete(id)) return;
    }
    this.onmessage?.(message);
  }

  #refuse(id: string | number, error: JSONRPCErrorResponse['error']): void {
    void this.#stdio.send({ jsonrpc: '2.0', id, error });
  }

  async #listen(request: JSONRPCMessage & { readonly id: string | number }): Promise<void> {
    this.#pending.add(request.id);
    let watched = request;
    try {
      if (isListenRequest(request)) watched = await this.#subscriptions.listen(keyOf(request.id), request);
    } catch (error) {
      log(`changes of the memory are not watched: ${textOf(error)}`);
    }
    if (this.#pending.delete(request.id)) this.onmessage?.(watched);
    else this.#subscriptions.remove(keyOf(request.id));
  }
}

/** The key of a stream's subscriptions, which no subscription to a single resource has. */
function keyOf(id: string | number): string {
  return JSON.stringify({ listens: id });
}

function claimedVersion(params: unknown): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const version = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}
