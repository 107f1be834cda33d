/** The MCP server: answers what the protocol asks, hands tool calls to the core. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { CoreThread } from './core-thread.ts';
import { EncoderThread } from './encoder-thread.ts';
import { log } from './log.ts';
import type { Options } from './options.ts';
import { protectOutput } from './output.ts';
import { packaged } from './paths.ts';
import { ProtocolError } from './protocol-error.ts';
import { Resources } from './resources.ts';
import { stopCleanly } from './shutdown.ts';
import { StdioTransport } from './stdio.ts';
import { Surface, type Tool } from './surface.ts';

declare const LIMBIC_VERSION: string;

/** What the SDK's handlers get beside the request. */
interface Extra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly sendNotification: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total: number };
  }) => Promise<void>;
}

/** Serves until the client leaves or a signal comes. */
export async function serve(options: Options, surface: Surface): Promise<void> {
  const write = protectOutput();
  const core = new CoreThread(coreSettings(options));
  const encoder = options.usesModel || options.testEncoder ? new EncoderThread(encoderSettings(options)) : undefined;
  if (encoder === undefined) core.onup = () => core.connect(undefined);
  else encoder.join(core);

  const server = new Server(
    { name: 'limbic-memory', title: 'Limbic', version: LIMBIC_VERSION },
    { capabilities: { tools: {}, resources: { subscribe: true } } },
  );
  const chosen = options.compat === undefined ? surface.choose(options.toolsets, options.readOnly) : undefined;
  // The list of another server comes from the core itself; it is not worth a file of its own.
  const offered = async (): Promise<Tool[]> =>
    chosen ?? new Surface(await core.tools()).choose(['all'], options.readOnly);
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await offered() }) as unknown as ServerResult);
  const resources = new Resources(core, server, offered);
  // Not setRequestHandler: its checks answer a malformed call with a dump of a schema and copy the arguments.
  server.fallbackRequestHandler = async (request, extra) => {
    if (request.method !== 'tools/call') {
      throw new ProtocolError(ErrorCode.MethodNotFound, `there is no method ${request.method}`);
    }
    const params = request.params ?? {};
    const result = await callTool(core, params, extra as Extra);
    if (result.isError !== true) resources.called(params['name']);
    return result;
  };
  server.onerror = (error) => log(error.message);

  const transport = new StdioTransport(process.stdin, write);
  stopCleanly(transport, core);
  await server.connect(transport);
  core.start();
}

/**
 * Runs a tool. Everything that a model can mend (an unknown tool included) is a tool error, so that the model sees it; only a
 * message that is no call at all is an error of the protocol.
 */
async function callTool(core: CoreThread, params: Record<string, unknown>, extra: Extra): Promise<CallToolResult> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') {
    throw new ProtocolError(ErrorCode.InvalidParams, 'tools/call needs a "name": the name of a tool');
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new ProtocolError(ErrorCode.InvalidParams, 'the "arguments" of tools/call must be a JSON object');
  }
  const token = extra._meta?.progressToken;
  const answer = await core.call(name, JSON.stringify(args), {
    signal: extra.signal,
    onProgress: (progress, total) => {
      if (token === undefined) return;
      void extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken: token, progress, total },
      });
    },
  });
  const content: CallToolResult['content'] = [{ type: 'text', text: answer.text }];
  // Clients check structured content against the tool's output schema, which no error fits, so an error is text alone.
  if (answer.isError) return { content, isError: true };
  return { content, structuredContent: JSON.parse(answer.text) as Record<string, unknown> };
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
