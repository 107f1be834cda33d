/** Combines `--http`, `--ui`, `--token` and `--public-url`. */
import { expandPath } from './paths.ts';
import { isYes, UsageError } from './usage.ts';

/** How to serve over HTTP. */
export interface HttpOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The Unix socket to listen on, in place of host and port. */
  readonly socketPath: string | undefined;
  /** The origin under which clients reach a proxy in front of the server, such as `https://memory.example`. */
  readonly publicOrigin: string | undefined;
  /** The token that MCP clients must send; random if undefined. */
  readonly token: string | undefined;
  /** The token of the explorer; random if undefined. */
  readonly pageToken: string | undefined;
  /** Whether the explorer is served as well. */
  readonly hasPage: boolean;
}

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;
const MIN_TOKEN_CHARS = 16;
const UNIX = 'unix:';

/** Options that have no effect without HTTP. */
const FOR_HTTP: readonly string[] = ['token', 'page-token', 'public-url', 'import-dir'];

/** The values of the HTTP options or of their variables. */
interface Given {
  readonly http: string | undefined;
  /** A port or empty. */
  readonly ui: string | undefined;
  readonly token: string | undefined;
  readonly pageToken: string | undefined;
  readonly publicUrl: string | undefined;
  /** The options of the command line, without variables: those may be set for several servers. */
  readonly given: ReadonlyMap<string, string>;
}

/**
 * Parses the HTTP options.
 *
 * @throws UsageError for invalid or contradictory values.
 */
export function httpOptions({ http, ui, token, pageToken, publicUrl, given }: Given): HttpOptions | undefined {
  // As an option, 0 is a free port, as for --http; in a variable, it means no.
  const page = given.get('ui') === '0' ? { port: undefined } : pageOf(ui);
  const address = http === undefined ? undefined : addressOf(http);
  if (address === undefined && page === undefined && FOR_HTTP.some((name) => given.has(name))) {
    throw new UsageError('--token, --page-token, --public-url and --import-dir are for --http, which is missing');
  }
  const secret = token === undefined ? undefined : checked('--token', token);
  const pageSecret = pageToken === undefined ? undefined : checked('--page-token', pageToken);
  if (secret !== undefined && secret === pageSecret) {
    throw new UsageError('--token and --page-token must differ: the token of an agent must not open the explorer');
  }
  const publicOrigin = publicUrl === undefined ? undefined : originOf(publicUrl);
  if (address === undefined && page === undefined) return undefined;
  if (address?.socketPath !== undefined && page?.port !== undefined) {
    throw new UsageError('--http names a socket and --ui a port: give one, MCP and the explorer share it');
  }
  if (address !== undefined && page?.port !== undefined && page.port !== address.port) {
    throw new UsageError(
      `--http and --ui name two ports, ${address.port} and ${page.port}: give one, MCP and the explorer share it`,
    );
  }
  return {
    host: address?.host ?? LOOPBACK,
    port: address?.port ?? page?.port ?? 0,
    socketPath: address?.socketPath,
    publicOrigin,
    token: secret,
    pageToken: pageSecret,
    hasPage: page !== undefined,
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly socketPath?: string;
}

function addressOf(text: string): Address {
  if (text.startsWith(UNIX)) {
    const path = text.slice(UNIX.length);
    if (path === '') throw new UsageError('--http needs a path after unix:, as in unix:/run/user/1000/memory.sock');
    if (process.platform === 'win32') throw new UsageError('--http unix:PATH is not available on Windows: give a port');
    return { host: LOOPBACK, port: 0, socketPath: expandPath(path, '--http') };
  }
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(text) ?? [];
  if (port === undefined || Number(port) > MAX_PORT)
    throw new UsageError(
      `--http must be a port up to ${MAX_PORT}, a host and a port as in 127.0.0.1:3000, or unix:PATH, but got "${text}"`,
    );
  return { host: bracketed ?? plain ?? LOOPBACK, port: Number(port) };
}

function pageOf(text: string | undefined): { port: number | undefined } | undefined {
  if (text === undefined) return undefined;
  if (text === '') return { port: undefined };
  // In a variable, 1 and 0 mean yes and no, not ports.
  if (/^\d{2,}$/.test(text)) return { port: portOf('--ui', text) };
  return isYes('--ui (LIMBIC_UI)', text, 'a port, or ') ? { port: undefined } : undefined;
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (port <= MAX_PORT) return port;
  throw new UsageError(`${name} must be a port up to ${MAX_PORT}, but got "${text}"`);
}

/** Validates a token; the error message does not repeat it. */
function checked(name: string, token: string): string {
  if (token.length < MIN_TOKEN_CHARS) {
    throw new UsageError(`${name} needs at least ${MIN_TOKEN_CHARS} characters, so that it cannot be guessed`);
  }
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new UsageError(
      `${name} may contain only letters, digits and - . _ ~ + /, with = only at the end, since it is sent in a header`,
    );
  }
  return token;
}

function originOf(text: string): string {
  // A password is not repeated.
  if (text.includes('@'))
    throw new UsageError(
      '--public-url must be an address such as https://memory.example, without a user and a password',
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.hash === '') {
    return url.origin;
  }
  throw new UsageError(
    `--public-url must be an address such as https://memory.example, without a path, but got "${text}"`,
  );
}
