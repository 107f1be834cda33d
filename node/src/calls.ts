/** Calls of tools, for clients of both protocol eras. */
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { calledTool } from './call-limits.ts';
import { askedFor, type Confirmation, confirmationOf, declinedResult } from './confirmation.ts';
import type { Answer, CoreThread } from './core-thread.ts';
import { isObject, textOfArguments } from './exact-json.ts';
import { JsonText } from './json-text.ts';
import { log } from './log.ts';
import { listForHost, type McpApp, RECALL, SHOW_MEMORY, showsApps, unknownArgument } from './mcp-app.ts';
import type { CallConfirmation, Caller, CoreSession } from './messages.ts';
import type { Project } from './project.ts';
import { objectParam, type Params, type ProtocolServer } from './protocol-server.ts';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import type { Tool } from './tool-catalog.ts';
import type { ToolFilter } from './tool-filter.ts';

/** A call that has been answered. */
export interface CompletedCall {
  /** The name that the client gave; empty if it gave none. */
  readonly client: string;
  /** The label of the client's session. */
  readonly session: string;
  readonly tool: string;
  /** JSON text. */
  readonly args: string;
  readonly answer: Answer;
  /** Unix time of its arrival. */
  readonly startedMillis: number;
  /** Time from arrival to answer, including the wait for other calls. */
  readonly millis: number;
  /** Whether the tool may change the memory. */
  readonly mayChange: boolean;
}

/** The client whose calls are handled, and callbacks about them. */
export interface CallsOptions {
  readonly core: CoreThread;
  /** The label of the client's session in the call log. */
  readonly label: string;
  readonly toolFilter: ToolFilter;
  /** The project that the client works in; `undefined` if unknown. */
  readonly project: Project | undefined;
  /** The holder of the client's token; empty on stdio. */
  readonly holder: string;
  /** The session in the core that a request belongs to. */
  readonly sessionOf: (context: ServerContext) => CoreSession;
  /** Called when a call may have changed the memory, before it is answered. */
  readonly onchanged: () => void;
  /** Called after every call. */
  readonly oncompleted: (call: CompletedCall) => void;
}

/**
 * No tool has a longer name, and an error repeats less of it; copying the rest to the core's thread would take time.
 */
const MAX_NAME_CHARS = 300;

/** The tool that stores in several steps. */
const IMPORT = 'migrate';
/** The codes of calls that were stopped while they ran, in their answers. */
const STOPPED: readonly string[] = ['"code":"timeout"', '"code":"internal"'];
/** The code of a call of no tool, in its answer. */
const UNKNOWN_TOOL = '"code":"unknown_tool"';

/** A transport that may answer each request on its own stream. */
interface Streaming {
  closeSSEStream?(id: string | number): void;
}

/** Lists and calls tools for a client. */
export function handleCalls(server: ProtocolServer, options: CallsOptions): void {
  const { tools, app } = options.toolFilter.lists[server.era];
  server.handle('tools/list', async (_params, context) => {
    if (app === undefined || !showsApps(server, context)) return { tools: await tools() };
    return listForHost(server, { tools: [...(await tools()), ...app.tools] });
  });
  server.handle('tools/call', (params, context) => {
    const transport = server.transport as Streaming | undefined;
    // A cancelled request gets no response, so its stream must be closed here.
    context.mcpReq.signal.addEventListener('abort', () => transport?.closeSSEStream?.(context.mcpReq.id));
    return call(server, options, params, context);
  });
}

/** The name that the client of a request gives; empty if it gives none. */
export function clientName(server: ProtocolServer, { mcpReq }: ServerContext): string {
  const named = (mcpReq.envelope as Params | undefined)?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return isObject(named) && typeof named['name'] === 'string' ? named['name'] : '';
}

/** The caller of a request. */
export function callerOf(
  server: ProtocolServer,
  context: ServerContext,
  { toolFilter, project }: Pick<CallsOptions, 'toolFilter' | 'project'>,
): Caller {
  return {
    kind: toolFilter.isExplorer ? 'explorer' : 'client',
    client: clientName(server, context),
    project: project?.name ?? '',
    folder: project?.folder,
  };
}

/**
 * Runs a tool. Errors that a model can correct (also an unknown tool) are tool errors, so that the model sees them;
 * only a malformed request is a protocol error.
 */
async function call(
  server: ProtocolServer,
  options: CallsOptions,
  params: Params,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { name } = params;
  if (typeof name !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'tools/call requires "name", the name of a tool');
  }
  const tool = name.slice(0, MAX_NAME_CHARS);
  const given = objectParam(params, 'arguments', 'tools/call');
  const args = textOfArguments(given);
  const confirmable = {
    holder: options.holder,
    tool,
    // A client may write the same arguments with other spaces.
    get args(): string {
      try {
        return JSON.stringify(given);
      } catch {
        // The core refuses arguments that are too deep to be serialised.
        return args;
      }
    },
  };
  const confirmation: Confirmation =
    server.era === 'modern' ? confirmationOf(confirmable, context) : { kind: 'unavailable' };
  if (confirmation.kind === 'declined') return declinedResult();
  const startedMillis = Date.now();
  const start = performance.now();
  const list = options.toolFilter.lists[server.era];
  const app = list.app !== undefined && showsApps(server, context) ? list.app : undefined;
  const isShown = app !== undefined && tool === SHOW_MEMORY;
  const unknown = isShown ? unknownArgument(given) : undefined;
  if (unknown !== undefined) return { content: [{ type: 'text', text: unknown }], isError: true };
  const access = app === undefined ? options.toolFilter.access : app.accessTo(tool, options.toolFilter.access);
  const listed = toolNamed(tool, list.tools, app);
  const called = isShown ? RECALL : tool;
  const answer = await options.core.call(called, args, {
    signal: abandonment(called, args, context),
    onProgress: progressTo(context),
    session: options.sessionOf(context),
    confirmation: asked(confirmation),
    access,
    caller: callerOf(server, context, options),
  });
  if (answer.question !== undefined) return askedFor(answer.question, confirmable);
  const millis = performance.now() - start;
  const known = await listed.catch(() => undefined);
  // `undefined`: the tool is not listed, or the list is not known.
  const ran = calledTool(called, args);
  const isRead = known?.annotations.readOnlyHint ?? ran.isRead;
  const mayChange = !isRead && !(answer.isError && answer.text.includes(UNKNOWN_TOOL));
  if (mayChange && (!answer.isError || mayHaveStored(ran.tool, answer))) options.onchanged();
  // A cancelled request gets no response.
  if (context.mcpReq.signal.aborted) logInterrupted(answer);
  options.oncompleted({
    client: clientName(server, context),
    session: options.label,
    tool,
    args,
    answer,
    startedMillis,
    millis,
    mayChange,
  });
  const content: CallToolResult['content'] = [{ type: 'text', text: answer.text }];
  // Clients validate structured content against the output schema, which errors do not match, so an error is text only.
  if (answer.isError) return { content, isError: true };
  const structuredContent = new JsonText(answer.text) as object as Record<string, unknown>;
  return isShown ? { content, structuredContent, _meta: app.metadata() } : { content, structuredContent };
}

/**
 * Aborted when the client cancels a call or, for a call that only reads, disconnects: up to 2025-11-25, a closed
 * connection does not cancel a request, but nothing can be lost then.
 */
function abandonment(tool: string, args: string, { mcpReq, http }: ServerContext): AbortSignal {
  const left = http?.req?.signal;
  return left === undefined || !calledTool(tool, args).isRead ? mcpReq.signal : AbortSignal.any([mcpReq.signal, left]);
}

/** The tool of a name, if it is listed. */
async function toolNamed(
  tool: string,
  tools: () => Promise<Tool[]>,
  app: McpApp | undefined,
): Promise<Tool | undefined> {
  return [...(await tools()), ...(app?.tools ?? [])].find(({ name }) => name === tool);
}

/** The confirmation in the core's format. */
function asked(confirmation: Confirmation): CallConfirmation | undefined {
  if (confirmation.kind === 'unavailable') return undefined;
  return { accepted: confirmation.kind === 'accepted' ? confirmation.digest : undefined };
}

/** Whether a failed call may have stored something: an import keeps its earlier steps, such as when it is cancelled. */
function mayHaveStored(tool: string, { text }: Answer): boolean {
  return tool === IMPORT || STOPPED.some((code) => text.includes(code));
}

/** Logs what a cancelled import has stored. */
function logInterrupted({ isError, text }: Answer): void {
  const { error, code } = (isError ? JSON.parse(text) : {}) as { readonly error?: string; readonly code?: string };
  if (code === 'import_interrupted') log(String(error));
}

/** Reports progress until the request is answered or cancelled. A call that is run again reports none twice. */
function progressTo({ mcpReq }: ServerContext): (progress: number, total: number) => void {
  const progressToken = mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  return (progress, total) => {
    if (progressToken === undefined || mcpReq.signal.aborted || progress <= last) return;
    last = progress;
    void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
  };
}
