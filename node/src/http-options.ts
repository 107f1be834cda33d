/** What `--http`, `--ui` and `--token` say together. */
import { isYes, UsageError } from './usage.ts';

/** How to serve over HTTP. */
export interface HttpOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The secret that clients must show; a random one if none is given. */
  readonly token: string | undefined;
  /** Whether the explorer's page is served, too. */
  readonly hasPage: boolean;
}

const LOOPBACK = '127.0.0.1';
const PORT_MAX = 65_535;
const TOKEN_CHARS_MIN = 16;

/**
 * Reads them.
 *
 * @param ui the port that stands behind `--ui`, nothing behind it, or what the variable holds.
 * @throws UsageError for what cannot be understood, and for what contradicts itself.
 */
export function httpOptions(
  http: string | undefined,
  ui: string | undefined,
  token: string | undefined,
): HttpOptions | undefined {
  const address = http === undefined ? undefined : addressOf(http);
  const page = pageOf(ui);
  const secret = token === undefined ? undefined : checked(token);
  if (address === undefined && page === undefined) return undefined;
  if (address !== undefined && page?.port !== undefined && page.port !== address.port) {
    throw new UsageError(
      `--http and --ui name two ports, ${address.port} and ${page.port}: MCP and the page share one`,
    );
  }
  return {
    host: address?.host ?? LOOPBACK,
    port: address?.port ?? page?.port ?? 0,
    token: secret,
    hasPage: page !== undefined,
  };
}

function addressOf(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(text) ?? [];
  if (port === undefined)
    throw new UsageError(`--http needs a port, or a host and a port as in 127.0.0.1:3000, but got "${text}"`);
  return { host: bracketed ?? plain ?? LOOPBACK, port: portOf('--http', port) };
}

function pageOf(text: string | undefined): { port: number | undefined } | undefined {
  if (text === undefined) return undefined;
  if (text === '') return { port: undefined };
  // 1 and 0 are words for yes and no in a variable, and no ports that anybody means.
  if (/^\d{2,}$/.test(text)) return { port: portOf('--ui', text) };
  return isYes('--ui (LIMBIC_UI), when it names no port,', text) ? { port: undefined } : undefined;
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (port <= PORT_MAX) return port;
  throw new UsageError(`${name} needs a port up to ${PORT_MAX}, but got ${text}`);
}

/** The message does not repeat the secret. */
function checked(token: string): string {
  if (token.length < TOKEN_CHARS_MIN) {
    throw new UsageError(`--token needs at least ${TOKEN_CHARS_MIN} characters, so that it cannot be guessed`);
  }
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new UsageError('--token may hold letters, digits and - . _ ~ + / only, since it travels in a header');
  }
  return token;
}
