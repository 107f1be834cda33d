/** The explorer's API beside MCP: status, events, past calls and the database file. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { seemsEncrypted } from '../key-source.ts';
import { Watch } from '../watch.ts';
import type { Access } from './access.ts';
import type { HttpContext } from './context.ts';
import type { Activity, ActivityEvent } from './activity.ts';
import { answerJson, methodNotAllowed, refuse } from './respond.ts';

const COMMENT_MILLIS = 15_000;
/** A page that does not read its events is disconnected; it requests missed calls when it reconnects. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** Time that a request for the calls waits for completed ones to be recorded, which a running call delays. */
const MAX_WAIT_MILLIS = 1000;

type Handler = (request: IncomingMessage, response: ServerResponse, access: Access) => void | Promise<void>;

/** Serves the paths below `/api/`. */
export class PageApi {
  readonly #activity: Activity;
  readonly #context: HttpContext;
  readonly #watch: Watch;
  readonly #streams = new Set<ServerResponse>();
  readonly #started = new Date().toISOString();

  constructor(activity: Activity, context: HttpContext) {
    this.#activity = activity;
    this.#context = context;
    this.#watch = new Watch(
      () => context.core.version(),
      () => activity.changed(),
    );
    context.sessions.oncompleted = (call) => activity.callCompleted(call);
    context.sessions.onchanged = () => activity.changed();
  }

  /** The paths and their handlers. */
  routes(): [string, Handler][] {
    return [
      ['/api/status', getOnly((_, response, access) => this.#status(response, access))],
      ['/api/events', getOnly((_, response) => this.#events(response))],
      ['/api/calls', getOnly((request, response) => this.#calls(request, response))],
      ['/api/database', getOnly((_, response) => this.#database(response))],
    ];
  }

  /** Ends the event streams. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  #status(response: ServerResponse, { token }: Access): void {
    const { about, sessions } = this.#context;
    answerJson(response, {
      ...about,
      read_only: about['read_only'] === true || token?.readOnly === true,
      encrypted: seemsEncrypted(this.#context.db),
      // The file's VFS overwrites its journal.
      overwrites: true,
      instance: this.#activity.instance,
      started: this.#started,
      sessions: sessions.count,
    });
  }

  async #calls(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#activity.recorded(MAX_WAIT_MILLIS);
    const after = Number(new URLSearchParams((request.url ?? '').split('?')[1]).get('after') ?? 0);
    answerJson(response, {
      instance: this.#activity.instance,
      calls: this.#activity.callsAfter(Number.isFinite(after) ? after : 0),
    });
  }

  async #events(response: ServerResponse): Promise<void> {
    const send = (text: string): void => {
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
      else response.write(text);
    };
    let ended = (): void => {};
    response.once('close', () => {
      this.#streams.delete(response);
      this.#watch.stop();
      ended();
    });
    await this.#watch.start();
    if (response.destroyed) return;
    this.#streams.add(response);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    send(event({ type: 'hello', instance: this.#activity.instance, last_call: this.#activity.lastId }));
    const unlisten = this.#activity.listen((happening) => send(event(happening)));
    const comments = setInterval(() => send(': still here\n\n'), COMMENT_MILLIS);
    comments.unref();
    ended = () => {
      unlisten();
      clearInterval(comments);
    };
  }

  async #database(response: ServerResponse): Promise<void> {
    const answer = await this.#context.core.database();
    if (answer.bytes === undefined) {
      const { error, code } = JSON.parse(answer.text) as { error: string; code: string };
      return refuse(response, { status: 500, code, error });
    }
    const name = basename(String(this.#context.about['database'])).replace(/[^\w.-]/g, '_');
    response.writeHead(200, {
      'Content-Type': 'application/vnd.sqlite3',
      'Content-Length': answer.bytes.length,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    });
    response.end(answer.bytes);
  }
}

function getOnly(handler: Handler): Handler {
  return (request, response, access) =>
    request.method === 'GET' ? handler(request, response, access) : refuse(response, methodNotAllowed('GET'));
}

function event(value: ActivityEvent | Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
