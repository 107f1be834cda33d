/** What the page needs beside MCP: who the server is, what goes on, the calls so far, the whole file. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { Watch } from '../watch.ts';
import type { Inside } from './inside.ts';
import type { Activity, Happening } from './activity.ts';
import { answerJson, onlyBy, refuse } from './respond.ts';

const COMMENT_MILLIS = 15_000;
/** A page that does not read is cut off: it asks for what it missed when it comes back. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Serves what lies below `/api/`. */
export class PageApi {
  readonly #activity: Activity;
  readonly #inside: Inside;
  readonly #watch: Watch;
  readonly #streams = new Set<ServerResponse>();
  readonly #started = new Date().toISOString();

  constructor(activity: Activity, inside: Inside) {
    this.#activity = activity;
    this.#inside = inside;
    this.#watch = new Watch(
      () => inside.core.version(),
      () => activity.changed(),
    );
    inside.sessions.oncalled = (called) => activity.called(called);
  }

  /** Path and handler of everything that is served. */
  routes(): [string, Handler][] {
    return [
      ['/api/status', byGet((_, response) => this.#status(response))],
      ['/api/events', byGet((_, response) => this.#events(response))],
      ['/api/calls', byGet((request, response) => this.#calls(request, response))],
      ['/api/database', byGet((_, response) => this.#database(response))],
    ];
  }

  /** Ends the streams. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  #status(response: ServerResponse): void {
    const { about, sessions } = this.#inside;
    answerJson(response, {
      ...about,
      instance: this.#activity.instance,
      started: this.#started,
      sessions: sessions.count,
    });
  }

  #calls(request: IncomingMessage, response: ServerResponse): void {
    const after = Number(new URLSearchParams((request.url ?? '').split('?')[1]).get('after') ?? 0);
    answerJson(response, {
      instance: this.#activity.instance,
      calls: this.#activity.callsAfter(Number.isFinite(after) ? after : 0),
    });
  }

  async #events(response: ServerResponse): Promise<void> {
    const send = (text: string): void => {
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
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
    const answer = await this.#inside.core.database();
    if (answer.bytes === undefined) {
      const { error, code } = JSON.parse(answer.text) as { error: string; code: string };
      return refuse(response, { status: 500, code, error });
    }
    const name = basename(String(this.#inside.about['database'])).replace(/[^\w.-]/g, '_');
    response.writeHead(200, {
      'Content-Type': 'application/vnd.sqlite3',
      'Content-Length': answer.bytes.length,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    });
    response.end(answer.bytes);
  }
}

function byGet(handler: Handler): Handler {
  return (request, response) =>
    request.method === 'GET' ? handler(request, response) : refuse(response, onlyBy('GET'));
}

function event(value: Happening | Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
