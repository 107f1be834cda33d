/** Who may come in: only requests that are meant for this server, and that show its token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { HttpOptions } from '../http-options.ts';
import type { Refusal } from './respond.ts';

const TOKEN_BYTES = 32;
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Judges requests. */
export class RequestGuard {
  /** The secret that clients must show. */
  readonly token: string;
  readonly #digest: Buffer;
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;

  constructor({ host, token }: Pick<HttpOptions, 'host' | 'token'>) {
    this.token = token ?? randomBytes(TOKEN_BYTES).toString('base64url');
    this.#digest = digest(this.token);
    this.#takesAddresses = !RequestGuard.isLoopback(host);
    const bound = isIP(host) === 6 ? `[${host}]` : host;
    this.#names = new Set([
      ...LOOPBACK_NAMES,
      bound.toLowerCase(),
      ...(this.#takesAddresses ? [hostname().toLowerCase()] : []),
    ]);
  }

  /** Whether only this computer can reach what listens there. */
  static isLoopback(host: string): boolean {
    return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  }

  /**
   * Refuses what a page of another site sent, or had sent by giving its own name this computer's address (DNS rebinding).
   * The port is not looked at: it differs when one is forwarded.
   */
  checkOrigin({ headers }: IncomingMessage): Refusal | undefined {
    const host = headers.host ?? '';
    if (!this.#isOwnHost(host)) {
      const error = 'This server does not go by that name: use the address that it printed when it started';
      return { status: 403, code: 'wrong_host', error };
    }
    if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
      const error = 'Pages of another origin may not talk to this server: use the page that it serves itself';
      return { status: 403, code: 'wrong_origin', error };
    }
    return undefined;
  }

  /** Refuses who does not show the token. */
  checkToken({ headers }: IncomingMessage): Refusal | undefined {
    const [, shown] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    if (shown !== undefined && timingSafeEqual(digest(shown), this.#digest)) return undefined;
    const what = shown === undefined ? 'The token is missing' : 'The token is wrong';
    return {
      status: 401,
      code: 'unauthorized',
      error: `${what}: send the header "Authorization: Bearer TOKEN" with the token that the server printed or was given at its start`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  }

  #isOwnHost(host: string): boolean {
    const [, name] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host) ?? [];
    if (name === undefined) return false;
    // Nobody can give an address in figures another meaning.
    return this.#names.has(name.toLowerCase()) || (this.#takesAddresses && isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  }
}

/** Digests are of one length, whatever was shown, so that they can be compared in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
