import type { ServerCall } from 'limbic-shell/server-call.ts';
import { BaseSource, failed, type RawAnswer, readAnswer } from '../base-source.ts';
import type { Source } from '../source.ts';
import type { Answer, Tool } from '../tools.ts';
import type { ServerSettings } from '../server-settings.ts';
import { Api, type ServerEvent } from './api.ts';
import { Session } from './session.ts';

const FIRST_PAUSE_MILLIS = 1000;
const MAX_PAUSE_MILLIS = 5000;

const DISCONNECTED = 'The server is disconnected. The page reconnects as soon as it is available.';
const TOKEN_REJECTED =
  'The server was restarted with another token, or this one has expired or was revoked. Open an address with a valid token.';

/** A running `limbic-memory --ui`: its live database, which agents use at the same time. */
export class ServerSource extends BaseSource implements Source {
  readonly kind = 'server';
  readonly #api: Api;
  readonly #session: Session;
  readonly #end = new AbortController();
  #instance = '';
  #lastCall = 0;

  constructor(base: string, token: string, isReadOnly: boolean) {
    super();
    this.#api = new Api(base, token);
    this.#session = new Session(new URL('mcp/explorer', base), token);
    this.setStatus({ storage: 'server', isReadOnly });
    void this.#listen();
  }

  exportDatabase(): Promise<Answer<Blob>> {
    return asked(() => this.#api.database());
  }

  readonly settings: ServerSettings = {
    tokens: () => asked(() => this.#api.tokens()),
    createToken: (token) => asked(() => this.#api.createToken(token)),
    revokeToken: (name) => asked(() => this.#api.revokeToken(name)),
    sessions: () => asked(() => this.#api.sessions()),
    endSession: (id) => asked(() => this.#api.endSession(id)),
    ownLabel: () => this.#session.name,
  };

  close(): void {
    this.#end.abort();
    this.#session.close();
  }

  protected async run(tool: string, args: string): Promise<RawAnswer> {
    try {
      return await this.#session.call(tool, args);
    } catch (error) {
      return error instanceof TypeError ? unreachable() : failed(error);
    }
  }

  protected listTools(): Promise<readonly Tool[]> {
    return this.#session.tools();
  }

  /** Listens to the server's events and reconnects when the connection was lost. */
  async #listen(): Promise<void> {
    for (let pauseMillis = FIRST_PAUSE_MILLIS; !this.#end.signal.aborted; ) {
      try {
        for await (const event of this.#api.events(this.#end.signal)) {
          pauseMillis = FIRST_PAUSE_MILLIS;
          await this.#onEvent(event);
        }
        this.#setLost(DISCONNECTED);
      } catch (error) {
        this.#setLost(isUnauthorized(error) ? TOKEN_REJECTED : DISCONNECTED);
      }
      if (this.#end.signal.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
      pauseMillis = Math.min(MAX_PAUSE_MILLIS, pauseMillis * 2);
    }
  }

  #setLost(problem: string): void {
    if (!this.#end.signal.aborted) this.setStatus({ connection: 'lost', problem });
  }

  async #onEvent(event: ServerEvent): Promise<void> {
    switch (event.type) {
      case 'hello':
        if (event.instance !== this.#instance) await this.#onInstance(event.instance);
        for (const call of await this.#api.calls(this.#lastCall)) await this.#logCall(call);
        this.setStatus({ connection: 'ready', problem: undefined });
        this.noteChange();
        break;
      case 'changed':
        this.noteChange();
        break;
      case 'call':
        await this.#logCall(event);
        break;
    }
  }

  /**
   * Handles a (re)started server: its call ids restart, and it may offer other tools. The next call makes a new
   * session; calls that already have one go on.
   */
  async #onInstance(instance: string): Promise<void> {
    const isFirst = this.#instance === '';
    this.#instance = instance;
    const { read_only, encrypted, overwrites } = await this.#api.status();
    this.setStatus({ isReadOnly: read_only === true, isEncrypted: encrypted === true, overwrites });
    if (isFirst) return;
    this.#lastCall = 0;
    this.forgetTools();
  }

  async #logCall(call: ServerCall): Promise<void> {
    if (call.id <= this.#lastCall) return;
    this.#lastCall = call.id;
    if (await this.#session.owns(call.session)) return;
    this.log.note({
      tool: call.tool,
      args: call.arguments,
      argsLength: call.arguments_chars,
      answer: call.answer,
      answerLength: call.answer_chars,
      isError: call.isError,
      startedMillis: Date.parse(call.started),
      tookMillis: call.duration_ms,
      client: call.client === '' ? call.session : call.client,
    });
  }
}

/** The result of a request as an answer, also if it fails. */
async function asked<T>(request: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await request(), text: '{}' };
  } catch (error) {
    return readAnswer(error instanceof TypeError ? unreachable() : failed(error));
  }
}

function isUnauthorized(error: unknown): boolean {
  const answer = readAnswer(failed(error));
  return !answer.ok && answer.error.code === 'unauthorized';
}

function unreachable(): RawAnswer {
  const error = 'The server is unreachable: the call was not made, or its answer was lost.';
  const hint = 'The page reconnects as soon as the server is available.';
  return { isError: true, text: JSON.stringify({ error, code: 'server_unreachable', hint }) };
}
