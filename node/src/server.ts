/** The MCP server: starts the core and the encoder and opens the doors by which clients come. */
import { CoreThread } from './core-thread.ts';
import { EncoderThread } from './encoder-thread.ts';
import type { HttpDoor } from './http.ts';
import type { Inside } from './http/inside.ts';
import type { HttpOptions } from './http-options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import { agentOffer, explorerOffer } from './tool-filter.ts';
import type { Options } from './options.ts';
import { protectOutput } from './output.ts';
import { packaged } from './paths.ts';
import { Sessions } from './sessions.ts';
import { Shutdown, stdioDoor } from './shutdown.ts';
import { StdioTransport } from './stdio.ts';
import type { Surface } from './tool-catalog.ts';

declare const LIMBIC_VERSION: string;

/** Serves until a signal comes, or, where nobody but a client on stdio can be served, until that one leaves. */
export async function serve(options: Options, surface: Surface): Promise<void> {
  const write = protectOutput();
  log(`the memory is in ${options.db}`);
  const core = new CoreThread(coreSettings(options));
  const encoder = options.usesModel || options.testEncoder ? new EncoderThread(encoderSettings(options)) : undefined;
  if (encoder === undefined) core.onup = () => core.connect(undefined);
  else encoder.join(core);

  const sessions = new Sessions(core, options.compat !== undefined);
  const agents = agentOffer(core, options, surface);
  const stdio = new StdioTransport(process.stdin, write);
  const shutdown = new Shutdown(core);
  shutdown.add(stdioDoor(stdio));

  let http: HttpDoor | undefined;
  if (options.http !== undefined) {
    core.start();
    http = await openHttp(options.http, {
      core,
      sessions,
      agents,
      explorer: explorerOffer(core),
      about: about(options),
    });
    if (http !== undefined) shutdown.add(http);
    else if (process.stdin.isTTY) process.exit(1);
    // Whoever types into a terminal is no client.
    if (process.stdin.isTTY) return;
  }
  stdio.onend = () => {
    if (stdio.heard || options.http === undefined) shutdown.clientLeft();
    else if (http === undefined) process.exit(1);
    // Otherwise it was started in the background, for those who come over HTTP.
  };
  await sessions.open(stdio, agents, 'stdio');
  core.start();
  sessions.prepare();
}

/** A client on stdio is to have its memory even when the port is taken, so that is told and no more. */
async function openHttp(options: HttpOptions, inside: Inside): Promise<HttpDoor | undefined> {
  try {
    const { openDoor } = await import('./http.js');
    const door = await openDoor(options, inside);
    door.announcement.forEach(log);
    return door;
  } catch (error) {
    log(`HTTP is not served: ${textOf(error)}`);
    return undefined;
  }
}

function about(options: Options): Record<string, unknown> {
  return { name: 'limbic-memory', version: LIMBIC_VERSION, database: options.db, read_only: options.readOnly };
}

function coreSettings(options: Options): CoreThread['settings'] {
  return {
    wasm: packaged('limbic_core_bg.wasm'),
    db: options.db,
    readOnly: options.readOnly,
    toolsets: options.toolsets,
    compat: options.compat,
    searchLogDays: options.searchLogDays,
    privateLog: options.privateLog,
    redact: options.redact,
    user: undefined,
    testClockMillis: options.testClockMillis,
    settle: options.settle,
    pumps: !options.readOnly,
    testTrap: process.env['LIMBIC_TEST_TRAP'],
  };
}

function encoderSettings(options: Options): EncoderThread['settings'] {
  return {
    wasm: packaged('limbic_encoder_bg.wasm'),
    modelDir: options.testEncoder ? undefined : (options.modelDir ?? packaged('model')),
    crashes: process.env['LIMBIC_TEST_ENCODER_CRASH'] === '1',
  };
}
