/** The HTTP server: MCP for several clients, and the explorer with its API. Loaded only if requested. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Activity } from './http/activity.ts';
import { RequestGuard } from './http/guard.ts';
import type { HttpContext } from './http/context.ts';
import { McpEndpoint } from './http/mcp.ts';
import { Page } from './http/page.ts';
import { PageApi } from './http/page-api.ts';
import { refuse, SHUTTING_DOWN, setSecurityHeaders } from './http/respond.ts';
import type { HttpOptions } from './http-options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import { listenOnSocket } from './http/socket.ts';
import { packagedFile } from './paths.ts';
import type { Listener } from './shutdown.ts';

/** A running HTTP server. */
export interface HttpListener extends Listener {
  /** Lines to print at start-up: addresses, token and warnings. */
  readonly announcement: readonly string[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Starts the HTTP server.
 *
 * @throws if the page is not part of this build, or the address is not available.
 */
export async function openHttpListener(options: HttpOptions, context: HttpContext): Promise<HttpListener> {
  const page = options.hasPage ? Page.from(process.env['LIMBIC_TEST_UI'] ?? packagedFile('ui')) : undefined;
  const guard = new RequestGuard(options);
  const mcp = new McpEndpoint(context.sessions);
  const routes = new Map<string, Handler>([
    ['/mcp', (request, response) => mcp.handle(request, response, context.agents)],
  ]);
  let api: PageApi | undefined;
  if (page !== undefined) {
    api = new PageApi(new Activity(), context);
    routes.set('/mcp/explorer', (request, response) => mcp.handle(request, response, context.explorer));
    for (const [path, handler] of api.routes()) routes.set(path, handler);
  }

  const handle: Handler = async (request, response) => {
    setSecurityHeaders(response);
    // Otherwise a kept-alive connection would keep sending requests, and shutdown would not end.
    if (mcp.isStopping) return refuse(response, SHUTTING_DOWN);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = routes.get(path);
    const refusal = guard.checkOrigin(request) ?? (route === undefined ? undefined : guard.checkToken(request));
    if (refusal !== undefined) return refuse(response, refusal);
    if (route !== undefined) return route(request, response);
    if (page !== undefined) return page.handle(request, response, path);
    refuse(response, { status: 404, code: 'not_found', error: 'Not found: MCP is at /mcp' });
  };
  const server = createServer((request, response) => {
    Promise.resolve(handle(request, response)).catch((error: unknown) => {
      log(`HTTP: ${textOf(error)}`);
      refuse(response, { status: 500, code: 'internal', error: 'Internal error: please report it' });
    });
  });
  const place = await listen(server, options);
  return {
    announcement: announcement(options, place, guard.token),
    stop() {
      mcp.stop();
      server.close();
    },
    async drained() {
      await mcp.drained();
      api?.close();
      await mcp.close();
      server.closeAllConnections();
    },
  };
}

/** Begins to listen. Returns the origin for clients on this computer, or the socket. */
async function listen(server: Server, { host, port, socketPath }: HttpOptions): Promise<string> {
  if (socketPath !== undefined) {
    await listenOnSocket(server, socketPath);
    return `unix:${socketPath}`;
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new Error(`port ${port} is in use: choose another, or 0 for any free port`) : error);
    });
    server.listen(port, host, () => {
      server.on('error', (error) => log(`HTTP: ${error.message}`));
      resolve(`http://${clientHost(host)}:${(server.address() as AddressInfo).port}`);
    });
  });
}

function announcement(options: HttpOptions, place: string, token: string): string[] {
  const { publicOrigin } = options;
  const origin = publicOrigin ?? place;
  // A token chosen by the user is not logged.
  const shown = options.token === undefined ? token : 'TOKEN';
  const lines: string[] = [];
  if (!RequestGuard.isLoopback(options.host)) {
    lines.push(
      `other computers can reach ${options.host}:${new URL(place).port}, and the connection is not encrypted: the token can be intercepted`,
    );
  }
  // A browser connects to no socket by itself.
  if (options.hasPage && origin.startsWith('http'))
    lines.push(`explorer: ${origin}/#token=${options.token === undefined ? token : 'TOKEN'}`);
  if (publicOrigin !== undefined) lines.push(`requests of the proxy are expected at ${place}`);
  lines.push(`MCP over HTTP: ${origin}/mcp with the header "Authorization: Bearer ${shown}"`);
  return lines;
}

/** The host name that clients on this computer use. */
function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
