/** The clients of this process: each has its own protocol state and core session; all share one core. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type RequestId,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Answer, CoreThread } from './core-thread.ts';
import { echo, log } from './log.ts';
import type { ToolFilter } from './tool-filter.ts';
import { ProtocolError } from './protocol-error.ts';
import { ResourceLists, Resources } from './resources.ts';
import { Watch } from './watch.ts';

declare const LIMBIC_VERSION: string;

/** A call that has been answered. */
export interface CompletedCall {
  /** The name that the client gave itself; empty when it gave none. */
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

/** The second argument of the SDK's request handlers. */
interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly sendNotification: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total: number };
  }) => Promise<void>;
}

/** A transport that may answer each request on its own stream. */
type Streaming = Transport & { closeSSEStream?: (id: RequestId) => void };

/** The state of a connected client. */
interface Session {
  /** Its session id in the core. */
  readonly id: string;
  readonly label: string;
  readonly server: Server;
  readonly resources: Resources;
  readonly toolFilter: ToolFilter;
}

/** Owns the clients' sessions. */
export class Sessions {
  /** Called after every completed call. */
  oncompleted: ((call: CompletedCall) => void) | undefined;

  readonly #core: CoreThread;
  readonly #lists: ResourceLists;
  readonly #isCompat: boolean;
  readonly #open = new Set<Session>();
  /** Polls for changes by other processes while a client has subscriptions. */
  readonly #watch: Watch;
  #opened = 0;

  /** @param isCompat whether another server is emulated. */
  constructor(core: CoreThread, isCompat: boolean) {
    this.#core = core;
    this.#lists = new ResourceLists(core);
    this.#isCompat = isCompat;
    this.#watch = new Watch(
      () => core.version(),
      () => {
        for (const { resources } of this.#open) resources.changed();
      },
    );
  }

  /** Requests the lists before the first call, so that they do not wait for a long call. */
  prepare(): void {
    this.#lists.known().catch(() => {});
  }

  /** The number of connected clients. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Serves a client until it or the transport closes.
   *
   * @param label the session's label in the call log.
   */
  async open(transport: Streaming, toolFilter: ToolFilter, label: string): Promise<void> {
    const server = new Server(
      { name: 'limbic-memory', title: 'Limbic', version: LIMBIC_VERSION },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        ...(toolFilter.instructions === undefined ? {} : { instructions: toolFilter.instructions }),
      },
    );
    server.setRequestHandler(
      ListToolsRequestSchema,
      async () => ({ tools: await toolFilter.tools() }) as unknown as ServerResult,
    );
    const id = String(++this.#opened);
    const resources = new Resources({
      core: this.#core,
      session: id,
      server,
      lists: this.#lists,
      tools: toolFilter.tools,
      isCompat: this.#isCompat,
      watch: this.#watch,
    });
    const session: Session = { id, label, server, resources, toolFilter };
    // Not setRequestHandler: its checks answer a malformed call with a dump of a schema and copy the arguments.
    server.fallbackRequestHandler = async (request, extra) => {
      if (request.method !== 'tools/call') {
        throw new ProtocolError(ErrorCode.MethodNotFound, `unknown method ${echo(request.method)}`);
      }
      // A cancelled request gets no response, so its stream must be closed here.
      extra.signal.addEventListener('abort', () => transport.closeSSEStream?.(extra.requestId));
      return this.#call(session, request.params ?? {}, extra as Extra);
    };
    server.onerror = (error) => log(error.message);
    server.onclose = () => {
      this.#open.delete(session);
      resources.close();
      this.#core.endSession(id);
    };
    this.#open.add(session);
    await server.connect(transport);
  }

  /**
   * Runs a tool. Errors that a model can correct (also an unknown tool) are tool errors, so that the model sees them; only a
   * malformed request is a protocol error.
   */
  async #call(session: Session, params: Record<string, unknown>, extra: Extra): Promise<CallToolResult> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') {
      throw new ProtocolError(ErrorCode.InvalidParams, 'tools/call requires "name", the name of a tool');
    }
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw new ProtocolError(ErrorCode.InvalidParams, 'the "arguments" of tools/call must be a JSON object');
    }
    const text = JSON.stringify(args);
    const startedMillis = Date.now();
    const start = performance.now();
    const answer = await this.#core.call(name, text, {
      signal: extra.signal,
      isRead: isRead(session, name),
      onProgress: progressTo(extra),
      session: session.id,
      toolsets: session.toolFilter.toolsets,
    });
    const millis = performance.now() - start;
    if (!answer.isError) for (const { resources } of this.#open) resources.onCallCompleted(name);
    void this.#reportCall(session, { tool: name, args: text, answer, startedMillis, millis });
    const content: CallToolResult['content'] = [{ type: 'text', text: answer.text }];
    // Clients validate structured content against the output schema, which errors do not match, so an error is text only.
    if (answer.isError) return { content, isError: true };
    return { content, structuredContent: JSON.parse(answer.text) as Record<string, unknown> };
  }

  async #reportCall(session: Session, call: Omit<CompletedCall, 'client' | 'session' | 'mayChange'>): Promise<void> {
    if (this.oncompleted === undefined) return;
    const tool = (await session.toolFilter.tools()).find(({ name }) => name === call.tool);
    this.oncompleted({
      ...call,
      client: session.server.getClientVersion()?.name ?? '',
      session: session.label,
      // Some tools are called without being listed.
      mayChange: tool === undefined ? !call.answer.isError : !tool.annotations.readOnlyHint,
    });
  }
}

async function isRead(session: Session, name: string): Promise<boolean> {
  const tool = (await session.toolFilter.tools()).find((known) => known.name === name);
  return tool?.annotations.readOnlyHint === true;
}

function progressTo(extra: Extra): (progress: number, total: number) => void {
  const token = extra._meta?.progressToken;
  return (progress, total) => {
    if (token === undefined) return;
    void extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: token, progress, total },
    });
  };
}
