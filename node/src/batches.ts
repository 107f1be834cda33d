/** Batches of JSON-RPC, which only protocol 2025-03-26 has: messages in one line, and their responses in one. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { messageOf } from './json-rpc.ts';
import { serialised } from './json-text.ts';

/** The only version of the protocol with batches. */
export const BATCH_VERSION = '2025-03-26';
/** The error for a batch where the version has none. */
export const NO_BATCHES = 'This version of the protocol has no batches: send each message by itself';
/** Maximum number of messages; the SDK has the same limit over HTTP. */
const MAX_MESSAGES = 100;

type Id = string | number;

/** A batch whose responses are collected. */
interface Batch {
  /** The requests without a response, with the number of those that have the same id. */
  readonly pending: Map<Id, number>;
  readonly responses: string[];
}

/** Why a batch is not served; `undefined` if it is. */
export function batchProblem(messages: readonly unknown[]): string | undefined {
  if (messages.length === 0) return 'A batch must contain a message';
  if (messages.length > MAX_MESSAGES) return `A batch has at most ${MAX_MESSAGES} messages: send several`;
  return undefined;
}

/** Collects the responses to the requests of batches. */
export class Batches {
  readonly #open = new Set<Batch>();
  readonly #write: (line: string) => void;

  /** @param write writes a line. */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /**
   * Passes on the messages of a batch.
   *
   * @param refusalOf the error response to a message that is not served; `undefined` if it is.
   * @param deliver takes a message that is.
   */
  receive(
    messages: readonly unknown[],
    refusalOf: (message: unknown) => string | undefined,
    deliver: (message: JSONRPCMessage) => void,
  ): void {
    const batch: Batch = { pending: new Map(), responses: [] };
    const served: JSONRPCMessage[] = [];
    for (const message of messages) {
      const refusal = refusalOf(message);
      if (refusal !== undefined) {
        batch.responses.push(refusal);
        continue;
      }
      const valid = messageOf(message);
      if (valid === undefined) continue;
      served.push(valid);
      if ('method' in valid && 'id' in valid) batch.pending.set(valid.id, (batch.pending.get(valid.id) ?? 0) + 1);
    }
    this.#open.add(batch);
    for (const message of served) deliver(message);
    this.#flush(batch);
  }

  /** Takes a response to a request of a batch. Returns whether it was one. */
  take(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined) return false;
    return this.#settle(message.id, () => serialised(message));
  }

  /** Notes that a request was cancelled, and gets no response. */
  cancelled(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#settle(id);
  }

  /** Counts a request as answered or cancelled. A response is serialised only if it is one of a batch. */
  #settle(id: Id, response?: () => string): boolean {
    for (const batch of this.#open) {
      const count = batch.pending.get(id);
      if (count === undefined) continue;
      if (count > 1) batch.pending.set(id, count - 1);
      else batch.pending.delete(id);
      if (response !== undefined) batch.responses.push(response());
      this.#flush(batch);
      return true;
    }
    return false;
  }

  /** Writes the responses once there is one for each request. A batch of notifications has none. */
  #flush(batch: Batch): void {
    if (batch.pending.size > 0 || !this.#open.delete(batch)) return;
    if (batch.responses.length > 0) this.#write(`[${batch.responses.join(',')}]`);
  }
}
