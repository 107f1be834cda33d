/**
 * MCP over standard input and output, one JSON text per line.
 *
 * Differences from the SDK's transport: a line that is not JSON-RPC gets an error response instead of being dropped, a
 * message may be larger than 10 MB (such as a thousand long observations), a large message is not copied for each
 * chunk, ids are returned and arguments passed on as received, batches are served where the protocol has them, and the
 * end of the input is reported.
 */
import { constants } from 'node:buffer';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { BATCH_VERSION, Batches, batchProblem, NO_BATCHES } from './batches.ts';
import { isObject, parseMessage, restored } from './exact-json.ts';
import { idOf, messageOf, requestError } from './json-rpc.ts';
import { serialised } from './json-text.ts';
import { BAD_REQUEST, INVALID_REQUEST, PARSE_ERROR } from './protocol-error.ts';

const NEWLINE = 10;
/** Maximum line length; a longer line does not fit into a string. */
const MAX_LINE_BYTES = Math.min(512 * 1024 * 1024, constants.MAX_STRING_LENGTH);

/** The error for requests that arrive while the server stops, as over HTTP. */
const STOPPING = 'This server is shutting down: start it again';

/** Writes text; `done` is called when it was written, or cannot be. */
export type Write = (text: string, done: () => void) => boolean;

/** The transport over two streams. */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Called once at the end of the input. */
  onend?: () => void;
  /** Whether a message has been received. */
  hasReceived = false;

  readonly #input: NodeJS.ReadableStream;
  readonly #write: Write;
  /** The notifications that the output has not taken. */
  readonly #unread = new Set<string>();
  #pieces: Buffer[] = [];
  #bytes = 0;
  readonly #batches = new Batches((line) => this.#writeLine(line));
  /** The version of the protocol that the client has requested at initialisation. */
  #version: unknown;
  #isStopping = false;
  /** Whether the rest of a line that is too long is skipped. */
  #skipsLine = false;

  constructor(input: NodeJS.ReadableStream, write: Write) {
    this.#input = input;
    this.#write = write;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.on('error', this.#onEnd);
  }

  async close(): Promise<void> {
    this.#end();
    this.onclose?.();
  }

  /** Refuses requests that are read from now on; those that were read are still answered. */
  stop(): void {
    this.#isStopping = true;
  }

  #end(): void {
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onEnd);
    this.#input.pause();
  }

  /**
   * Resolves at once: the SDK handles no further message before. At shutdown the output is drained. A notification that
   * equals an unread one is dropped, so that little waits for a client that does not read. After a response the next
   * notification is sent again: the client takes a response for newer than the notifications before it.
   */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) {
      this.#unread.clear();
      if (!this.#batches.take(message)) this.#writeLine(serialised(message));
      return;
    }
    const line = serialised(message);
    if ('id' in message) {
      this.#unread.clear();
      this.#writeLine(line);
    } else if (!this.#unread.has(line)) {
      this.#unread.add(line);
      this.#writeLine(line, () => this.#unread.delete(line));
    }
  }

  #onData = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      this.#append(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      this.#finishLine();
    }
    this.#append(rest);
  };

  #onEnd = (): void => {
    this.#end();
    if (this.#bytes > 0) this.#finishLine();
    this.onend?.();
  };

  #append(piece: Buffer): void {
    if (this.#skipsLine || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_LINE_BYTES) return;
    this.#skipsLine = true;
    this.#pieces = [];
    this.#refuse(null, INVALID_REQUEST, `The message is longer than ${MAX_LINE_BYTES} bytes: send it in parts`);
  }

  #finishLine(): void {
    const line = this.#skipsLine ? '' : Buffer.concat(this.#pieces).toString('utf8').trim();
    this.#pieces = [];
    this.#bytes = 0;
    this.#skipsLine = false;
    if (line !== '') this.#deliver(line);
  }

  #deliver(line: string): void {
    this.hasReceived = true;
    let value: unknown;
    try {
      value = parseMessage(line);
    } catch (error) {
      this.#refuse(null, PARSE_ERROR, `The line is not valid JSON: ${error instanceof Error ? error.message : error}`);
      return;
    }
    if (Array.isArray(value)) {
      const problem = this.#version === BATCH_VERSION ? batchProblem(value) : NO_BATCHES;
      if (problem === undefined) this.#batches.receive(value, this.#refusalInBatch, (message) => this.#pass(message));
      else this.#refuse(null, INVALID_REQUEST, problem);
      return;
    }
    const refusal = this.#refusalOf(value);
    const message = refusal === undefined ? messageOf(value) : undefined;
    if (message !== undefined) this.#pass(message);
    else this.#writeLine(refusal ?? this.#error(idOf(value), INVALID_REQUEST, requestError(value)));
  }

  /** Hands a message to the server. */
  #pass(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'initialize') this.#version = message.params?.['protocolVersion'];
    this.onmessage?.(message);
    // The server answers a cancelled request no more.
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#batches.cancelled(message.params?.['requestId']);
    }
  }

  /** The error response to a message that is not served; `undefined` if it may be. */
  #refusalOf(value: unknown): string | undefined {
    if (!isRequest(value) || !this.#isStopping) return undefined;
    return this.#error(idOf(value), BAD_REQUEST, STOPPING, { code: 'stopping' });
  }

  #refusalInBatch = (value: unknown): string | undefined => {
    const refusal = this.#refusalOf(value);
    if (refusal !== undefined) return refusal;
    if (messageOf(value) === undefined) return this.#error(idOf(value), INVALID_REQUEST, requestError(value));
    if (!isRequest(value) || value['method'] !== 'initialize') return undefined;
    return this.#error(idOf(value), INVALID_REQUEST, 'The request initialize cannot be part of a batch');
  };

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#writeLine(this.#error(id, code, message));
  }

  #error(id: string | number | null, code: number, message: string, data?: Readonly<Record<string, unknown>>): string {
    this.onerror?.(new Error(message));
    return restored(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
  }

  #writeLine(line: string, done: () => void = () => {}): void {
    this.#write(`${line}\n`, done);
  }
}

/** Whether a message expects a response. */
function isRequest(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'id' in value && 'method' in value;
}
