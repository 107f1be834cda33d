/** The activity of this server for the explorer: the last calls, and change events. */
import { randomUUID } from 'node:crypto';
import type { ServerCall } from 'limbic-shell/server-call.ts';
import type { CompletedCall } from '../calls.ts';

/** An event of the event stream. */
export type ActivityEvent = { readonly type: 'changed' } | ({ readonly type: 'call' } & ServerCall);

const MAX_CALLS = 500;
const MAX_TEXT_CHARS = 16_000;
const MAX_NAME_CHARS = 200;
/** Minimum time between two change events. */
const MIN_CHANGE_INTERVAL_MILLIS = 200;
/** Shown instead of texts that could not be scanned. */
const NOT_SCANNED = '[withheld: the scan for secrets failed]';
/** The code of a call that was refused for a secret, in its answer. */
const REFUSED = '"code":"secret_refused"';
/** Shown instead of the arguments of such a call: what is stored may make a text a secret that is none by itself. */
const REFUSED_ARGUMENTS = JSON.stringify('[withheld: refused for a secret]');

/**
 * Returns the beginnings of JSON texts, with at most `maxChars` characters each, in which secrets are withheld;
 * `undefined` if they cannot be scanned.
 */
export type WithoutSecrets = (texts: readonly string[], maxChars: number) => Promise<readonly string[] | undefined>;

/**
 * Stores the last calls and notifies listeners. Secrets are withheld before: calls that are refused for a secret are
 * recorded, too, and pages may be open to others than the caller.
 */
export class Activity {
  /** Identifies this server start; call ids restart with it. */
  readonly instance: string = randomUUID();
  readonly #calls: ServerCall[] = [];
  readonly #listeners = new Set<(event: ActivityEvent) => void>();
  #lastId = 0;
  #lastChangeMillis = Number.NEGATIVE_INFINITY;
  #isChangeScheduled = false;
  readonly #withoutSecrets: WithoutSecrets;
  /** Settled when the calls that have completed are recorded. */
  #recorded: Promise<unknown> = Promise.resolve();

  constructor(withoutSecrets: WithoutSecrets) {
    this.#withoutSecrets = withoutSecrets;
  }

  /** The id of the last call, 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The stored calls with a greater id, oldest first. */
  callsAfter(id: number): ServerCall[] {
    return this.#calls.filter((call) => call.id > id);
  }

  /** Adds a listener. @returns a function that removes it. */
  listen(listener: (event: ActivityEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records a completed call, in the order of completion, as soon as its texts are scanned. */
  callCompleted(completed: CompletedCall): void {
    const { answer } = completed;
    const args = answer.isError && answer.text.includes(REFUSED) ? REFUSED_ARGUMENTS : completed.args;
    const scanned = this.#withoutSecrets([args, answer.text], MAX_TEXT_CHARS).catch(() => undefined);
    this.#recorded = Promise.all([scanned, this.#recorded]).then(([texts]) => this.#record(completed, texts ?? []));
  }

  /** Waits until the calls that have completed are recorded, but not longer than this. */
  async recorded(maxMillis: number): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, maxMillis).unref());
    await Promise.race([this.#recorded, timeout]);
  }

  #record(completed: CompletedCall, [args = NOT_SCANNED, answer = NOT_SCANNED]: readonly string[]): void {
    this.#lastId += 1;
    const call: ServerCall = {
      id: this.#lastId,
      client: completed.client.slice(0, MAX_NAME_CHARS),
      session: completed.session,
      tool: completed.tool.slice(0, MAX_NAME_CHARS),
      arguments: args,
      arguments_chars: completed.args.length,
      answer,
      answer_chars: completed.answer.text.length,
      isError: completed.answer.isError,
      started: new Date(completed.startedMillis).toISOString(),
      duration_ms: Math.round(completed.millis * 10) / 10,
    };
    this.#calls.push(call);
    if (this.#calls.length > MAX_CALLS) this.#calls.shift();
    this.#emit({ type: 'call', ...call });
    // A failed call may have changed something, so it counts.
    if (completed.mayChange) this.changed();
  }

  /** Reports a change of the database. */
  changed(): void {
    if (this.#isChangeScheduled) return;
    const wait = this.#lastChangeMillis + MIN_CHANGE_INTERVAL_MILLIS - performance.now();
    if (wait <= 0) {
      this.#emitChange();
      return;
    }
    this.#isChangeScheduled = true;
    setTimeout(() => this.#emitChange(), wait).unref();
  }

  #emitChange(): void {
    this.#isChangeScheduled = false;
    this.#lastChangeMillis = performance.now();
    this.#emit({ type: 'changed' });
  }

  #emit(event: ActivityEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
