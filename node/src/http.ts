/** The HTTP server: MCP for several clients, and the explorer with its API. Loaded only if requested. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Access, checkAgent, checkExplorer, checkUser } from './http/access.ts';
import { Activity } from './http/activity.ts';
import { type Announcement, announce } from './http/announcement.ts';
import { RequestGuard } from './http/guard.ts';
import type { HttpContext } from './http/context.ts';
import { McpEndpoint } from './http/mcp.ts';
import { Page } from './http/page.ts';
import { PageApi } from './http/page-api.ts';
import { RevocationWatch } from './http/revocation-watch.ts';
import { SettingsApi } from './http/settings-api.ts';
import { endUnlessShort, keepConnection, refuseWithId } from './http/refused-body.ts';
import { type Refusal, refuse, refuseMessage, SHUTTING_DOWN, setSecurityHeaders } from './http/respond.ts';
import type { HttpOptions } from './http-options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import { listenOnSocket } from './http/socket.ts';
import { packagedFile } from './paths.ts';
import type { Listener } from './shutdown.ts';

/** A running HTTP server. */
export interface HttpListener extends Listener {
  /** Lines to print at start-up: addresses, where the tokens are, and warnings. */
  readonly announcement: readonly string[];
}

const MCP_PATH = '/mcp';
/** The path of MCP for the explorer. */
const EXPLORER_PATH = '/mcp/explorer';

type Handler = (request: IncomingMessage, response: ServerResponse, access: Access) => void | Promise<void>;

/** What answers the requests to a path that needs a token. */
interface Route {
  /** Why an access does not suffice. */
  readonly refusal: (access: Access) => Refusal | undefined;
  readonly handle: Handler;
}

/**
 * Starts the HTTP server.
 *
 * @throws if the page is not part of this build, or the address is not available.
 */
export async function openHttpListener(options: HttpOptions, context: HttpContext): Promise<HttpListener> {
  const page = options.hasPage ? Page.from(process.env['LIMBIC_TEST_UI'] ?? packagedFile('ui')) : undefined;
  const guard = new RequestGuard(options, context.tokens);
  const mcp = new McpEndpoint(context.sessions);
  const revocations = new RevocationWatch(context.tokens);
  const routes = new Map<string, Route>([
    [
      MCP_PATH,
      {
        refusal: (access) => checkAgent(access) ?? checkUser(access, context.user),
        handle: (request, response, access) => mcp.handle(request, response, access, context.agents(access.token)),
      },
    ],
  ]);
  let api: PageApi | undefined;
  if (page !== undefined) {
    const activity = new Activity((texts, maxChars) => context.core.withoutSecrets(texts, maxChars));
    api = new PageApi(activity, context);
    const pageRoutes: [string, Handler][] = [
      [
        EXPLORER_PATH,
        (request, response, access) => mcp.handle(request, response, access, context.explorer(access.token)),
      ],
      ...api.routes(),
      ...new SettingsApi(context).routes(),
    ];
    for (const [path, handle] of pageRoutes) routes.set(path, { refusal: checkExplorer, handle });
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    setSecurityHeaders(response);
    RequestGuard.takeTarget(request);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = routes.get(path);
    // A message of JSON-RPC is refused with its id.
    const isMessage = request.method === 'POST' && route !== undefined && [MCP_PATH, EXPLORER_PATH].includes(path);
    const reject = (refusal: Refusal): void | Promise<void> =>
      isMessage ? refuseWithId(request, response, refusal) : refuse(response, refusal);
    endUnlessShort(request, response);
    // Otherwise a kept-alive connection would keep sending requests, and shutdown would not end.
    if (mcp.isStopping) {
      return isMessage ? refuseMessage(response, SHUTTING_DOWN, null) : refuse(response, SHUTTING_DOWN);
    }
    const refusal = RequestGuard.checkForm(request) ?? guard.checkOrigin(request);
    if (refusal !== undefined) return reject(refusal);
    if (route !== undefined) {
      const access = guard.authenticate(request);
      if ('status' in access) return reject(access);
      const denied = route.refusal(access);
      if (denied !== undefined) return reject(denied);
      keepConnection(response);
      revocations.add(response, access);
      return route.handle(request, response, access);
    }
    if (page !== undefined) return page.handle(request, response, path);
    refuse(response, { status: 404, code: 'not_found', error: 'Not found: MCP is at /mcp' });
  };
  const server = createServer((request, response) => {
    Promise.resolve(handle(request, response)).catch((error: unknown) => {
      log(`HTTP: ${textOf(error)}`);
      refuse(response, { status: 500, code: 'internal', error: 'Internal error: please report it' });
    });
  });
  const address = await listen(server, options);
  const { token, pageToken } = guard;
  const isAtTerminal = process.stderr.isTTY === true;
  const announcement = announceOrClose(server, () =>
    announce(options, { db: context.db, address, token, pageToken, isAtTerminal }),
  );
  // However the server ends: the time for answers may be over before all are sent.
  process.once('exit', () => announcement.remove());
  return {
    announcement: announcement.lines,
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

/** Closes a server whose tokens can be neither shown nor written. */
function announceOrClose(server: Server, make: () => Announcement): Announcement {
  try {
    return make();
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Begins to listen. Returns the origin for clients on this computer, or the socket. */
async function listen(server: Server, { host, port, socketPath }: HttpOptions): Promise<string> {
  if (socketPath !== undefined) {
    await listenOnSocket(server, socketPath);
    server.on('error', (error) => log(`HTTP: ${error.message}`));
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

/** The host name that clients on this computer use. */
function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
