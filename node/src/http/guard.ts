/** Access control: accepts only requests that are addressed to this server and carry its token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { HttpOptions } from '../http-options.ts';
import type { Refusal } from './respond.ts';

const TOKEN_BYTES = 32;
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Checks the host, the origin and the token of requests. */
export class RequestGuard {
  /** The token that clients must send. */
  readonly token: string;
  readonly #digest: Buffer;
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;
  readonly #publicOrigin: string | undefined;

  constructor({ host, token, publicOrigin }: Pick<HttpOptions, 'host' | 'token' | 'publicOrigin'>) {
    this.#publicOrigin = publicOrigin;
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

  /** Whether a host is reachable from this computer only. */
  static isLoopback(host: string): boolean {
    return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  }

  /**
   * Rejects requests of pages from other origins, also through DNS rebinding (a foreign host name that resolves to this
   * computer). The port is ignored, since it differs behind port forwarding.
   */
  checkOrigin({ headers }: IncomingMessage): Refusal | undefined {
    const host = headers.host ?? '';
    if (!this.#isOwnHost(host)) {
      const error = 'Unknown host name: use the address that the server printed when it started';
      return { status: 403, code: 'wrong_host', error };
    }
    const isOwn = headers.origin === `http://${host}` || headers.origin === this.#publicOrigin;
    if (headers.origin !== undefined && !isOwn) {
      const error = 'Requests from another origin are rejected: use the page that this server provides';
      return { status: 403, code: 'wrong_origin', error };
    }
    return undefined;
  }

  /** Rejects requests without the token. */
  checkToken({ headers }: IncomingMessage): Refusal | undefined {
    const [, shown] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    if (shown !== undefined && timingSafeEqual(digest(shown), this.#digest)) return undefined;
    const what = shown === undefined ? 'The token is missing' : 'The token is wrong';
    return {
      status: 401,
      code: 'unauthorized',
      error: `${what}: send the header "Authorization: Bearer TOKEN" with the token that the server printed or was given when it started`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  }

  #isOwnHost(host: string): boolean {
    // A proxy passes on its own name, or the address that it connects to.
    if (this.#publicOrigin !== undefined && host.toLowerCase() === new URL(this.#publicOrigin).host) return true;
    const [, name] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host) ?? [];
    if (name === undefined) return false;
    // A numeric address cannot be rebound.
    return this.#names.has(name.toLowerCase()) || (this.#takesAddresses && isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  }
}

/** Digests have the same length for every input, as required for comparison in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
