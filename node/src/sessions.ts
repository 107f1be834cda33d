/** The clients of this process: each has a protocol state and a session of the core of its own, all share the one core. */
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
  /** Which of the clients it is. */
  readonly session: string;
  readonly tool: string;
  /** JSON text. */
  readonly args: string;
  readonly answer: Answer;
  /** Unix time of its arrival. */
  readonly startedMillis: number;
  /** From its arrival to its answer, waiting for other calls included. */
  readonly millis: number;
  /** Whether the tool may change the memory. */
  readonly mayChange: boolean;
}

/** What the SDK's handlers get beside the request. */
interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly sendNotification: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total: number };
  }) => Promise<void>;
}

/** A transport that answers each request on a stream of its own. */
type Streaming = Transport & { closeSSEStream?: (id: RequestId) => void };

/** What a client is told about, and what is told about it. */
interface Session {
  /** Names it to the core. */
  readonly id: string;
  readonly label: string;
  readonly server: Server;
  readonly resources: Resources;
  readonly toolFilter: ToolFilter;
}

/** Owns the clients' sessions. */
export class Sessions {
  /** Told of every call when it has been answered. */
  oncompleted: ((call: CompletedCall) => void) | undefined;

  readonly #core: CoreThread;
  readonly #lists: ResourceLists;
  readonly #isCompat: boolean;
  readonly #open = new Set<Session>();
  /** Looks for other processes' changes as long as a client is subscribed to anything. */
  readonly #watch: Watch;
  #opened = 0;

  /** @param isCompat whether another server is stood in for. */
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

  /** Asks for what is listed ahead of the first call, so that it is never behind one that takes long. */
  prepare(): void {
    this.#lists.known().catch(() => {});
  }

  /** How many clients there are. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Serves the client behind a transport until one of the two closes.
   *
   * @param label what the session is called in the log of calls.
   */
  async open(transport: Streaming, toolFilter: ToolFilter, label: string): Promise<void> {
    const server = new Server(
      { name: 'limbic-memory', title: 'Limbic', version: LIMBIC_VERSION },
      { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} } },
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
        throw new ProtocolError(ErrorCode.MethodNotFound, `there is no method ${echo(request.method)}`);
      }
      // A request that was called off gets no answer, so nothing else would end its stream.
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
   * Runs a tool. Everything that a model can mend (an unknown tool included) is a tool error, so that the model sees it; only a
   * message that is no call at all is an error of the protocol.
   */
  async #call(session: Session, params: Record<string, unknown>, extra: Extra): Promise<CallToolResult> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') {
      throw new ProtocolError(ErrorCode.InvalidParams, 'tools/call needs a "name": the name of a tool');
    }
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw new ProtocolError(ErrorCode.InvalidParams, 'the "arguments" of tools/call must be a JSON object');
    }
    const text = JSON.stringify(args);
    const startedMillis = Date.now();
    const start = performance.now();
    const answer = await this.#core.call(name, text, {
      signal: extra.signal,
      onProgress: progressTo(extra),
      session: session.id,
      toolsets: session.toolFilter.toolsets,
    });
    const millis = performance.now() - start;
    if (!answer.isError) for (const { resources } of this.#open) resources.onCallCompleted(name);
    void this.#reportCall(session, { tool: name, args: text, answer, startedMillis, millis });
    const content: CallToolResult['content'] = [{ type: 'text', text: answer.text }];
    // Clients check structured content against the tool's output schema, which no error fits, so an error is text alone.
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
      mayChange: tool !== undefined && !tool.annotations.readOnlyHint,
    });
  }
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
