/** The messages about addresses and tokens when a server starts. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { textOf } from 'limbic-shell/failure.ts';
import type { HttpOptions } from '../http-options.ts';
import { makeTokenFolder, tokenFolder } from '../token-store.ts';
import { RequestGuard } from './guard.ts';

/** What the address of a socket begins with. */
const UNIX = 'unix:';
/** Hexadecimal digits of a digest in the name of a file. */
const DIGEST_CHARS = 8;

/** Lines for people, and the file that was written with the tokens. */
export interface Announcement {
  readonly lines: readonly string[];
  /** Removes the file, unless another server at the same address has replaced it. */
  remove(): void;
}

/** Where the server listens, and its own tokens. */
export interface Announced {
  readonly db: string;
  /** The origin for clients on this computer, or the socket. */
  readonly address: string;
  readonly token: string;
  readonly pageToken: string;
  /** Whether a person reads standard error at a terminal. */
  readonly isAtTerminal: boolean;
}

/**
 * Prints how clients and browsers reach the server. Tokens that the user has chosen are not shown. At a terminal the
 * random ones are; elsewhere standard error may be a log that others read, so that they are written to a file for the
 * owner only.
 *
 * @throws if that file cannot be written.
 */
export function announce(options: HttpOptions, announced: Announced): Announcement {
  const { address, isAtTerminal } = announced;
  const { publicOrigin } = options;
  const origin = publicOrigin ?? address;
  // A browser cannot connect to a Unix socket.
  const hasAddress = options.hasPage && origin.startsWith('http');
  const hasRandom = options.token === undefined || (hasAddress && options.pageToken === undefined);
  const shown = addresses(options, { ...announced, origin, hasAddress });
  if (isAtTerminal || !hasRandom) return { lines: framed(options, address, shown), remove() {} };
  const path = join(tokenFolder(announced.db), `server-${placeName(address)}.txt`);
  const written = `${shown.join('\n')}\n`;
  write(path, written);
  const hidden = addresses(options, { ...announced, origin, hasAddress, token: 'TOKEN', pageToken: 'TOKEN' });
  return {
    lines: [`the tokens of this server are in ${path}`, ...framed(options, address, hidden)],
    remove: () => {
      if (textIn(path) === written) rmSync(path, { force: true });
    },
  };
}

interface Addresses extends Announced {
  readonly origin: string;
  readonly hasAddress: boolean;
}

function addresses(options: HttpOptions, { origin, hasAddress, token, pageToken }: Addresses): string[] {
  const shownToken = options.token === undefined ? token : 'TOKEN';
  const shownPageToken = options.pageToken === undefined ? pageToken : 'TOKEN';
  return [
    ...(hasAddress ? [`explorer: ${origin}/#token=${shownPageToken}`] : []),
    `MCP over HTTP: ${mcpAddress(origin)} with the header "Authorization: Bearer ${shownToken}"`,
  ];
}

function mcpAddress(origin: string): string {
  return origin.startsWith(UNIX) ? `path /mcp on the socket ${origin.slice(UNIX.length)}` : `${origin}/mcp`;
}

/**
 * The port of an origin; the name of a socket with a digest of its path, because sockets in several folders can have
 * the same name.
 */
function placeName(address: string): string {
  if (!address.startsWith(UNIX)) return /\d+$/.exec(address)?.[0] ?? '';
  const path = resolve(address.slice(UNIX.length));
  const digest = createHash('sha256').update(path).digest('hex').slice(0, DIGEST_CHARS);
  return `${basename(path)}-${digest}`;
}

function framed({ host, publicOrigin }: HttpOptions, address: string, lines: readonly string[]): string[] {
  return [
    ...(RequestGuard.isLoopback(host)
      ? []
      : [
          `other computers can reach ${host}:${new URL(address).port}, and the connection is not encrypted: the token can be intercepted`,
        ]),
    ...(publicOrigin === undefined ? [] : [`requests of the proxy are expected at ${address}`]),
    ...lines,
  ];
}

/** Replaces the file of an earlier server at this address. */
function write(path: string, text: string): void {
  try {
    makeTokenFolder(join(path, '..'));
    rmSync(path, { force: true });
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Error(
      `its random token cannot be written to ${basename(path)} beside the database (${textOf(error)}): set LIMBIC_TOKEN, and LIMBIC_PAGE_TOKEN for the explorer`,
      { cause: error },
    );
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
