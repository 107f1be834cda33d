import type { ServerResponse } from 'node:http';
import type { NamedToken, TokenStore } from '../token-store.ts';
import type { Access } from './access.ts';

const INTERVAL_MILLIS = 1000;

/** Ends open responses, such as streams, when the named token of their request is revoked or expires. */
export class RevocationWatch {
  readonly #tokens: TokenStore;
  readonly #open = new Map<ServerResponse, NamedToken>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tokens: TokenStore) {
    this.#tokens = tokens;
  }

  /** Watches a response until it ends. */
  add(response: ServerResponse, { token }: Access): void {
    if (token === undefined) return;
    this.#open.set(response, token);
    response.once('close', () => this.#remove(response));
    this.#timer ??= setInterval(() => this.#check(), INTERVAL_MILLIS).unref();
  }

  #check(): void {
    for (const [response, token] of this.#open) {
      if (!this.#tokens.isCurrent(token)) response.destroy();
    }
  }

  #remove(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
