/** Access control: accepts only requests that are addressed to this server and carry its token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { HttpOptions } from '../http-options.ts';
import { digest, holderOf, type TokenStore } from '../token-store.ts';
import type { Access } from './access.ts';
import type { Refusal } from './respond.ts';

const TOKEN_BYTES = 32;
const MAX_PORT = 65_535;
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Checks the host, the origin and the token of requests. */
export class RequestGuard {
  /** The server's own token of MCP clients. */
  readonly token: string;
  /** The server's own token of the explorer. */
  readonly pageToken: string;
  readonly #digest: Buffer;
  readonly #pageDigest: Buffer;
  readonly #tokens: TokenStore;
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;
  readonly #publicOrigin: string | undefined;

  /** @param tokens the named tokens, which are accepted besides the server's own. */
  constructor(
    { host, token, pageToken, publicOrigin }: Pick<HttpOptions, 'host' | 'token' | 'pageToken' | 'publicOrigin'>,
    tokens: TokenStore,
  ) {
    this.#tokens = tokens;
    this.#publicOrigin = publicOrigin;
    this.token = token ?? randomBytes(TOKEN_BYTES).toString('base64url');
    this.#digest = digest(this.token);
    this.pageToken = pageToken ?? randomBytes(TOKEN_BYTES).toString('base64url');
    this.#pageDigest = digest(this.pageToken);
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
   * Replaces a target that is a URL of HTTP by its path, and the `Host` header by its host, which counts instead (RFC
   * 9112, section 3.2.2).
   */
  static takeTarget(request: IncomingMessage): void {
    const [, host, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? [];
    if (host === undefined) return;
    request.url = path.startsWith('/') ? path : `/${path}`;
    request.headers.host = host;
  }

  /**
   * Rejects requests with several `Host` headers (RFC 9112, section 3.2), since programs on the way could understand
   * another host than this server, and those with a target that is neither a path nor a URL of HTTP.
   */
  static checkForm({ headersDistinct, url = '' }: IncomingMessage): Refusal | undefined {
    if ((headersDistinct['host'] ?? []).length <= 1 && !/^[^/]*:\/\//.test(url)) return undefined;
    const error = 'Name the host once, in one Host header: the target is a path or a URL of HTTP';
    return { status: 400, code: 'ambiguous_host', error };
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
    // The public address is reached by https alone.
    const isOwn =
      headers.origin === this.#publicOrigin || (!this.#isPublicHost(host) && headers.origin === `http://${host}`);
    if (headers.origin !== undefined && !isOwn) {
      const error = 'Requests from another origin are rejected: use the page that this server provides';
      return { status: 403, code: 'wrong_origin', error };
    }
    return undefined;
  }

  /** The access of a request, or why it is rejected. */
  authenticate({ headers }: IncomingMessage): Access | Refusal {
    const [, shown] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    if (shown !== undefined) {
      const given = digest(shown);
      const isForAgents = timingSafeEqual(given, this.#digest);
      const isForExplorer = timingSafeEqual(given, this.#pageDigest);
      if (isForAgents || isForExplorer) {
        return { holder: isForAgents ? 'agents' : 'explorer', token: undefined, isForAgents, isForExplorer };
      }
      const token = this.#tokens.find(shown);
      if (token !== undefined) {
        return { holder: holderOf(token), token, isForAgents: true, isForExplorer: token.explorer };
      }
    }
    const what = shown === undefined ? 'The token is missing' : 'The token is wrong, revoked or expired';
    return {
      status: 401,
      code: 'unauthorized',
      error: `${what}: send the header "Authorization: Bearer TOKEN" with the token that the server was given or made when it started, or one of limbic-memory token create`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  }

  /** Whether a host is that of the public address, with its port or without the usual one. */
  #isPublicHost(host: string): boolean {
    if (this.#publicOrigin === undefined) return false;
    const { host: own } = new URL(this.#publicOrigin);
    return [own, `${own}:443`].includes(host.toLowerCase());
  }

  #isOwnHost(host: string): boolean {
    // A proxy passes on its own name, or the address that it connects to.
    if (this.#isPublicHost(host)) return true;
    const [, name, port] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/i.exec(host) ?? [];
    if (name === undefined || Number(port ?? 0) > MAX_PORT) return false;
    // A numeric address cannot be rebound.
    return this.#names.has(name.toLowerCase()) || (this.#takesAddresses && isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  }
}
