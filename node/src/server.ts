/** The MCP server: starts the encoder and the listeners for clients. */
import type { CoreThread } from './core-thread.ts';
import { EncoderThread } from './encoder-thread.ts';
import type { HttpListener } from './http.ts';
import type { HttpContext } from './http/context.ts';
import type { HttpOptions } from './http-options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { HookListener } from './hook-listener.ts';
import { log } from './log.ts';
import type { ToolAccess } from './messages.ts';
import { agentToolFilter, explorerToolFilter, type ToolFilter } from './tool-filter.ts';
import type { Options } from './options.ts';
import { protectOutput } from './output.ts';
import { packagedFile } from './paths.ts';
import { projectOf } from './project.ts';
import { Sessions } from './sessions.ts';
import { Shutdown, stdioListener } from './shutdown.ts';
import { StdioTransport } from './stdio.ts';
import { type NamedToken, TokenStore } from './token-store.ts';
import type { ToolCatalog } from './tool-catalog.ts';

declare const LIMBIC_VERSION: string;

/**
 * Serves until a signal or, if there is only a client on stdio, until it disconnects.
 *
 * @param core the core, which was started with the same options.
 */
export async function serve(options: Options, catalog: ToolCatalog, core: CoreThread): Promise<void> {
  let whenUnread = (): void => {};
  const write = protectOutput(() => whenUnread());
  const encoder = options.usesModel || options.testEncoder ? new EncoderThread(encoderSettings(options)) : undefined;
  if (encoder === undefined) core.whenOpened(() => core.connect(undefined));
  else encoder.join(core);

  const sessions = new Sessions(core, options.compat !== undefined);
  const agents = agentToolFilter(core, options, catalog);
  const imports = options.importDir === undefined ? 'none' : { folder: options.importDir };
  const stdio = new StdioTransport(process.stdin, write);
  const shutdown = new Shutdown(core);
  let endStdio = async (): Promise<void> => {};
  shutdown.add(stdioListener(stdio, write, () => endStdio()));

  const hooks = HookListener.of(options, core, () => sessions.changed());
  if (hooks !== undefined) shutdown.add(hooks);
  hooks?.start();

  let http: HttpListener | undefined;
  if (options.http !== undefined) {
    http = await openHttp(options.http, {
      core,
      sessions,
      tokens: new TokenStore(options.db),
      toolsets: { all: catalog.toolsets(), ofUsers: catalog.toolsetsOfUsers() },
      db: options.db,
      user: options.user,
      agents: byRights((token) => agentToolFilter(core, options, catalog, { ...rightsOf(token), imports })),
      explorer: byRights((token) => explorerToolFilter(core, { ...rightsOf(token), imports })),
      about: about(options),
    });
    if (http !== undefined) shutdown.add(http);
    else if (process.stdin.isTTY) process.exit(1);
    // A TTY on standard input is not an MCP client.
    if (process.stdin.isTTY) return;
  }
  const leave = (): void => {
    if (stdio.hasReceived || options.http === undefined) shutdown.clientDisconnected();
    else if (http === undefined) process.exit(1);
    // No message on standard input: the server was started in the background for HTTP clients.
  };
  stdio.onend = leave;
  // A client that no longer reads has disconnected.
  whenUnread = leave;
  endStdio = sessions.openStdio(stdio, agents, projectOf(process.cwd()));
  sessions.prepare();
}

/** Starts the HTTP server. Failures are only logged, so that a client on stdio is served even if the port is taken. */
async function openHttp(options: HttpOptions, context: HttpContext): Promise<HttpListener | undefined> {
  try {
    const { openHttpListener } = await import('./http.js');
    const listener = await openHttpListener(options, context);
    listener.announcement.forEach(log);
    return listener;
  } catch (error) {
    log(`the HTTP server could not be started: ${textOf(error)}`);
    return undefined;
  }
}

/** Makes a filter once for each combination of rights. */
function byRights(make: (token: NamedToken | undefined) => ToolFilter): (token: NamedToken | undefined) => ToolFilter {
  const made = new Map<string, ToolFilter>();
  return (token) => {
    const key = JSON.stringify(rightsOf(token));
    const filter = made.get(key) ?? make(token);
    made.set(key, filter);
    return filter;
  };
}

/** The access that a named token grants. */
function rightsOf(token: NamedToken | undefined): Pick<ToolAccess, 'toolsets' | 'readOnly' | 'user'> {
  return token === undefined ? {} : { toolsets: token.toolsets, readOnly: token.readOnly, user: token.user };
}

function about(options: Options): Record<string, unknown> {
  return {
    name: 'limbic-memory',
    version: LIMBIC_VERSION,
    database: options.db,
    read_only: options.readOnly,
  };
}

function encoderSettings(options: Options): EncoderThread['settings'] {
  return {
    wasm: packagedFile('limbic_encoder_bg.wasm'),
    modelDir: options.testEncoder ? undefined : (options.modelDir ?? packagedFile('model')),
    modelDimensions: options.modelDir === undefined ? undefined : options.modelDimensions,
    crashes: process.env['LIMBIC_TEST_ENCODER_CRASH'] === '1',
  };
}
