/** The MCP server: starts the core, the encoder and the listeners for clients. */
import { CoreThread } from './core-thread.ts';
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
import { packagedFile, rightsWarning } from './paths.ts';
import { projectOf } from './project.ts';
import { Sessions } from './sessions.ts';
import { Shutdown, stdioListener } from './shutdown.ts';
import { StdioTransport } from './stdio.ts';
import { type NamedToken, TokenStore } from './token-store.ts';
import type { ToolCatalog } from './tool-catalog.ts';

declare const LIMBIC_VERSION: string;

/** Serves until a signal or, if there is only a client on stdio, until it disconnects. */
export async function serve(options: Options, catalog: ToolCatalog): Promise<void> {
  const write = protectOutput();
  log(`the memory is in ${options.db}`);
  const warning = rightsWarning(options.db);
  if (warning !== undefined) log(warning);
  const core = new CoreThread(coreSettings(options, catalog));
  const encoder = options.usesModel || options.testEncoder ? new EncoderThread(encoderSettings(options)) : undefined;
  if (encoder === undefined) core.onup = () => core.connect(undefined);
  else encoder.join(core);

  const sessions = new Sessions(core, options.compat !== undefined);
  const agents = agentToolFilter(core, options, catalog);
  const imports = options.importDir === undefined ? 'none' : { folder: options.importDir };
  const stdio = new StdioTransport(process.stdin, write);
  const shutdown = new Shutdown(core);
  let endStdio = async (): Promise<void> => {};
  shutdown.add(stdioListener(stdio, () => endStdio()));

  const hooks = HookListener.of(options, core, () => sessions.changed());
  if (hooks !== undefined) shutdown.add(hooks);
  hooks?.start();

  let http: HttpListener | undefined;
  if (options.http !== undefined) {
    core.start();
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
  stdio.onend = () => {
    if (stdio.hasReceived || options.http === undefined) shutdown.clientDisconnected();
    else if (http === undefined) process.exit(1);
    // No message on standard input: the server was started in the background for HTTP clients.
  };
  endStdio = sessions.openStdio(stdio, agents, projectOf(process.cwd()) ?? '');
  core.start();
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

function coreSettings(options: Options, catalog: ToolCatalog): CoreThread['settings'] {
  return {
    wasm: packagedFile('limbic_core_bg.wasm'),
    db: options.db,
    readOnly: options.readOnly,
    toolsets: options.toolsets,
    compat: options.compat,
    searchLogDays: options.searchLogDays,
    privateLog: options.privateLog,
    acceptsSharedDisk: options.acceptsSharedDisk,
    redact: options.redact,
    scanGraph: options.scanGraph,
    code: offersCode(options, catalog)
      ? {
          root: options.codeRoot ?? process.cwd(),
          wasm: packagedFile('limbic_code.wasm'),
          wasmMore: packagedFile('limbic_code_more.wasm'),
          subwords: packagedFile('model/subwords.bin'),
        }
      : undefined,
    user: options.user,
    testClockMillis: options.testClockMillis,
    drainsQueue: options.settle,
    runsQueue: !options.readOnly,
    memoryLimit: memoryLimit(),
    testTrap: process.env['LIMBIC_TEST_TRAP'],
    testHang: process.env['LIMBIC_TEST_HANG'],
    testLimitMillis: millisFrom(process.env['LIMBIC_TEST_LIMIT']),
  };
}

/** The memory of the core, above which an idle thread is replaced. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const MEMORY_IDLE_MILLIS = 60_000;
const MEMORY_REST_MILLIS = 600_000;

function memoryLimit(): CoreThread['settings']['memoryLimit'] {
  const test = process.env['LIMBIC_TEST_MEMORY'];
  const limit = { bytes: MAX_MEMORY_BYTES, idleMillis: MEMORY_IDLE_MILLIS, restMillis: MEMORY_REST_MILLIS };
  return test === undefined ? limit : { ...limit, bytes: Number(test), idleMillis: 0 };
}

/** The emulated server that has tools for source code. */
const CODE_COMPAT = 'memory-mcp-server';

/** Whether source code is read: only then projects are kept up to date. */
function offersCode({ compat, user, toolsets, readOnly }: Options, catalog: ToolCatalog): boolean {
  if (user !== undefined) return false;
  return compat === CODE_COMPAT || (compat === undefined && catalog.hasCode(toolsets, readOnly));
}

function millisFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function encoderSettings(options: Options): EncoderThread['settings'] {
  return {
    wasm: packagedFile('limbic_encoder_bg.wasm'),
    modelDir: options.testEncoder ? undefined : (options.modelDir ?? packagedFile('model')),
    modelDimensions: options.modelDir === undefined ? undefined : options.modelDimensions,
    crashes: process.env['LIMBIC_TEST_ENCODER_CRASH'] === '1',
  };
}
