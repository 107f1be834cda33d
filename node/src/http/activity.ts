/** What goes on in this server, for a page that looks on: the last calls, and that something has changed. */
import { randomUUID } from 'node:crypto';
import type { Called } from '../sessions.ts';

/** A call as the page gets it. Texts are cut; how long they were is told. */
export interface Call {
  readonly id: number;
  readonly client: string;
  readonly session: string;
  readonly tool: string;
  readonly arguments: string;
  readonly arguments_chars: number;
  readonly answer: string;
  readonly answer_chars: number;
  readonly isError: boolean;
  readonly started: string;
  readonly duration_ms: number;
}

/** What is told while it happens. */
export type Happening = { readonly type: 'changed' } | ({ readonly type: 'call' } & Call);

const CALLS_MAX = 500;
const TEXT_CHARS_MAX = 16_000;
const NAME_CHARS_MAX = 200;
/** Changes that follow each other closely are told as one. */
const CHANGES_APART_MILLIS = 200;

/** Keeps the last calls and tells its listeners. */
export class Activity {
  /** Differs from start to start: ids of calls begin anew then. */
  readonly instance: string = randomUUID();
  readonly #calls: Call[] = [];
  readonly #listeners = new Set<(happening: Happening) => void>();
  #lastId = 0;
  #lastChangeMillis = Number.NEGATIVE_INFINITY;
  #changeIsDue = false;

  /** The id of the last call, 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The calls that are kept and have a greater id, oldest first. */
  callsAfter(id: number): Call[] {
    return this.#calls.filter((call) => call.id > id);
  }

  /** Calls `listener` from here on. @returns what ends that. */
  listen(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A call has been answered. */
  called(called: Called): void {
    this.#lastId += 1;
    const call: Call = {
      id: this.#lastId,
      client: called.client.slice(0, NAME_CHARS_MAX),
      session: called.session,
      tool: called.tool.slice(0, NAME_CHARS_MAX),
      arguments: called.args.slice(0, TEXT_CHARS_MAX),
      arguments_chars: called.args.length,
      answer: called.answer.text.slice(0, TEXT_CHARS_MAX),
      answer_chars: called.answer.text.length,
      isError: called.answer.isError,
      started: new Date(called.startedMillis).toISOString(),
      duration_ms: Math.round(called.millis * 10) / 10,
    };
    this.#calls.push(call);
    if (this.#calls.length > CALLS_MAX) this.#calls.shift();
    this.#tell({ type: 'call', ...call });
    // A call that failed may have got somewhere, so it counts.
    if (called.mayChange) this.changed();
  }

  /** The database holds something else. */
  changed(): void {
    if (this.#changeIsDue) return;
    const wait = this.#lastChangeMillis + CHANGES_APART_MILLIS - performance.now();
    if (wait <= 0) {
      this.#tellChange();
      return;
    }
    this.#changeIsDue = true;
    setTimeout(() => this.#tellChange(), wait).unref();
  }

  #tellChange(): void {
    this.#changeIsDue = false;
    this.#lastChangeMillis = performance.now();
    this.#tell({ type: 'changed' });
  }

  #tell(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening);
  }
}
