/** The host of an MCP App: its messages to the page, and the tool calls that it forwards to the server. */
import '../source/server/zod-without-eval.ts';
import { App, type McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { theme } from '../app/theme.ts';
import type { RawAnswer } from '../source/base-source.ts';
import { createStore, type Store } from '../source/store.ts';
import type { Input } from '../source/tools.ts';

const APP = { name: 'limbic-memory-app', version: '0.1.0' };
/** The server runs calls in the order of their arrival; an import by an agent may take long. */
const TIMEOUT_MILLIS = 10 * 60 * 1000;
/** The height that the page requests in a conversation. */
const HEIGHT_PIXELS = 560;
const NO_HOST = 'This page shows the result of show_memory: it must be opened by a host of MCP Apps';
/** The field of the result of `show_memory` that lists the tools which the page may call. */
const TOOLS_FIELD = 'limbic/tools';

/** The arguments of `show_memory`: those of `memory_recall` that it has. */
export type ShownQuestion = Pick<Input<'memory_recall'>, 'query' | 'domain' | 'user_id' | 'limit'>;

/** A tool that the page may call. */
export interface OfferedTool {
  readonly name: string;
  readonly readOnly: boolean;
}

/** The state of the call that the page shows. */
export type ShownCall =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly state: 'answered'; readonly question: ShownQuestion; readonly tools: readonly OfferedTool[] };

/** The result of a tool as MCP has it. */
interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export class Host {
  // The page fills the height that it has, so there is no height of its content to follow.
  readonly #app = new App(APP, { availableDisplayModes: ['inline', 'fullscreen'] }, { autoResize: false });
  readonly #call = createStore<ShownCall>({ state: 'waiting' });
  #question: ShownQuestion = {};

  /** The call of `show_memory` that the page shows. */
  readonly call: Store<ShownCall> = this.#call;

  /** Connects to the host. The page follows its theme. Never rejects: a failure is the state of the call. */
  async connect(): Promise<void> {
    if (window.parent === window) {
      this.#call.set({ state: 'failed', problem: NO_HOST });
      return;
    }
    try {
      await this.#connect();
    } catch (error) {
      this.#call.set({ state: 'failed', problem: error instanceof Error ? error.message : String(error) });
    }
  }

  async #connect(): Promise<void> {
    const app = this.#app;
    app.addEventListener('toolinput', ({ arguments: given }) => {
      this.#question = (given ?? {}) as ShownQuestion;
    });
    app.addEventListener('toolresult', (result) => this.#onResult(result as ToolResult));
    app.addEventListener('toolcancelled', () => {
      this.#call.set({ state: 'failed', problem: 'The call was cancelled.' });
    });
    app.addEventListener('hostcontextchanged', applyContext);
    // Nothing is unsaved: every change is a call of its own.
    app.onteardown = () => ({});
    await app.connect();
    applyContext(app.getHostContext() ?? {});
    await app.sendSizeChanged({ height: HEIGHT_PIXELS });
  }

  /** Calls a tool of the server. */
  async run(name: string, args: string): Promise<RawAnswer> {
    const params = { name, arguments: JSON.parse(args) as Record<string, unknown> };
    return rawAnswer((await this.#app.callServerTool(params, { timeout: TIMEOUT_MILLIS })) as ToolResult);
  }

  /** Whether the host can show the page on the whole screen. */
  get canExpand(): boolean {
    return this.#app.getHostContext()?.availableDisplayModes?.includes('fullscreen') === true;
  }

  /** Asks the host to show the page on the whole screen. */
  async expand(): Promise<void> {
    await this.#app.requestDisplayMode({ mode: 'fullscreen' });
  }

  #onResult(result: ToolResult): void {
    const { isError, text } = rawAnswer(result);
    if (isError) {
      this.#call.set({ state: 'failed', problem: problemOf(text) });
      return;
    }
    const tools = (result._meta?.[TOOLS_FIELD] ?? []) as readonly OfferedTool[];
    this.#call.set({ state: 'answered', question: this.#question, tools });
  }
}

function rawAnswer({ content, structuredContent, isError }: ToolResult): RawAnswer {
  return { isError: isError === true, text: content?.[0]?.text ?? JSON.stringify(structuredContent ?? {}) };
}

/** The message of a tool's error. */
function problemOf(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text;
  }
}

function applyContext({ theme: shown }: McpUiHostContext): void {
  if (shown !== undefined) theme.set(shown);
}
