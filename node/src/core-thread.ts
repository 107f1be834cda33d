/** The core's thread as the main thread sees it: calls go in, answers come out, a broken thread is replaced. */
import type { MessagePort } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { brokenBy } from 'limbic-shell/answer.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import type { CoreSettings, CoreStart, FromCore, ToCore } from './messages.ts';

/** What came of a call: the tool's result or error as JSON text. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** What was asked for when it is no text. */
  readonly bytes?: Uint8Array | undefined;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The client that the call belongs to, where there are several: {@link CoreThread.endSession} when it is gone. */
  readonly session?: string;
  /** The toolsets that the call may use, if not those that the server was started with. */
  readonly toolsets?: readonly string[] | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A message that waits for its answer. */
interface Outstanding {
  readonly message: ToCore;
  readonly answer: (answer: Answer) => void;
  readonly onProgress: CallOptions['onProgress'];
}

/** After so many traps that no call was to blame for, the queue is left alone: something in it breaks the module. */
const QUEUE_TRAPS_MAX = 3;

/** Owns the core's thread and all calls that are not answered. */
export class CoreThread {
  readonly settings: CoreSettings;
  /** Called when the module runs, and again for each replacement. */
  onup: () => void = () => {};

  #worker: Worker | undefined;
  #isUp = false;
  #nextId = 0;
  #threads = 0;
  /** In the order of arrival, which is the order in which they are run. */
  readonly #outstanding = new Map<number, Outstanding>();
  #queueTraps = 0;
  #closing: (() => void) | undefined;
  /** Session by session, the domain it works in: a thread that takes the place of another goes on in it. */
  readonly #domains = new Map<string, string>();

  constructor(settings: CoreSettings) {
    this.settings = settings;
  }

  /** Starts the thread unless it runs. */
  start(): void {
    if (this.#worker !== undefined) return;
    const settings: CoreStart = {
      ...this.settings,
      runsQueue: this.settings.runsQueue && this.#queueTraps < QUEUE_TRAPS_MAX,
      sessions: [...this.#domains].map(([session, domain]) => ({ session, domain })),
    };
    const worker = new Worker(new URL('core-worker.js', import.meta.url), { workerData: settings, stdout: true });
    worker.stdout.pipe(process.stderr, { end: false });
    this.#worker = worker;
    this.#threads += 1;
    this.#isUp = false;
    let reason = 'the thread ended';
    worker.on('message', (message: FromCore) => this.#receive(worker, message));
    worker.on('error', (error) => {
      reason = textOf(error);
    });
    worker.on('exit', () => this.#replace(worker, this.#firstId(), reason));
    for (const { message } of this.#outstanding.values()) worker.postMessage(message);
    if (this.#closing !== undefined) worker.postMessage({ type: 'close' } satisfies ToCore);
  }

  /** Runs a tool. Never fails: what goes wrong is an answer. */
  call(tool: string, args: string, options: CallOptions = {}): Promise<Answer> {
    const id = this.#nextId++;
    options.signal?.addEventListener('abort', () => this.#worker?.postMessage({ type: 'cancel', id } satisfies ToCore));
    return this.#ask(
      { type: 'call', id, tool, args, toolsets: options.toolsets, session: options.session },
      options.onProgress,
    );
  }

  /** The tools that the core offers under its settings, or with these toolsets in their place, as JSON. */
  tools(toolsets?: readonly string[]): Promise<string> {
    return this.#text({ type: 'tools', id: this.#nextId++, toolsets });
  }

  /** The resources that can be read, the templates of others, and the prompts, as JSON: `{resources, resourceTemplates, prompts}`. */
  resources(): Promise<string> {
    return this.#text({ type: 'resources', id: this.#nextId++ });
  }

  /** What a resource holds now. Never fails: what goes wrong is an answer. */
  resource(uri: string): Promise<Answer> {
    return this.#ask({ type: 'resource', id: this.#nextId++, uri }, undefined);
  }

  /** The whole database as the bytes of a SQLite file. Never fails: what goes wrong is an answer. */
  database(): Promise<Answer> {
    return this.#ask({ type: 'database', id: this.#nextId++ }, undefined);
  }

  /** Differs from the one before when others have changed the database. Nothing when it cannot be told just then. */
  async version(): Promise<string | undefined> {
    const answer = await this.#ask({ type: 'version', id: this.#nextId++ }, undefined);
    return answer.isError ? undefined : `${this.#threads} ${answer.text}`;
  }

  /** A prompt with what is remembered; `args` is JSON text. Never fails. */
  prompt(name: string, args: string, session: string): Promise<Answer> {
    return this.#ask({ type: 'prompt', id: this.#nextId++, name, args, session }, undefined);
  }

  /** Drops what is known of a client that is gone. */
  endSession(session: string): void {
    this.#domains.delete(session);
    this.#worker?.postMessage({ type: 'end-session', session } satisfies ToCore);
  }

  /** What completes the part of a resource template or a prompt that somebody has begun to write, beside the parts that are known. Never fails. */
  complete(template: string, part: string, begun: string, known: string): Promise<Answer> {
    return this.#ask({ type: 'complete', id: this.#nextId++, template, part, begun, known }, undefined);
  }

  /** Connects the core with an encoder, or tells it that there is none any more. */
  connect(port: MessagePort | undefined): void {
    if (port === undefined) this.#worker?.postMessage({ type: 'encoder-gone' } satisfies ToCore);
    else this.#worker?.postMessage({ type: 'encoder', port } satisfies ToCore, [port]);
  }

  /** Runs the calls that are there, then closes the database. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closing = resolve;
      if (this.#worker === undefined) resolve();
      else this.#worker.postMessage({ type: 'close' } satisfies ToCore);
    });
  }

  /** Runs no more of the calls that wait. */
  abortPending(): void {
    this.#worker?.postMessage({ type: 'abort-pending' } satisfies ToCore);
  }

  async #text(message: ToCore & { readonly id: number }): Promise<string> {
    const answer = await this.#ask(message, undefined);
    if (answer.isError) throw new Error(answer.text);
    return answer.text;
  }

  #ask(message: ToCore & { readonly id: number }, onProgress: CallOptions['onProgress']): Promise<Answer> {
    return new Promise((answer) => {
      this.#outstanding.set(message.id, { message, answer, onProgress });
      if (this.#worker === undefined) this.start();
      else this.#worker.postMessage(message);
    });
  }

  #receive(worker: Worker, message: FromCore): void {
    if (worker !== this.#worker) return;
    switch (message.type) {
      case 'up':
        this.#isUp = true;
        this.onup();
        break;
      case 'answer':
        this.#noteDomain(message.id, message.domain);
        this.#answer(message.id, message);
        break;
      case 'progress':
        this.#outstanding.get(message.id)?.onProgress?.(message.done, message.total);
        break;
      case 'trapped':
        if (message.id === undefined) this.#queueTraps += 1;
        this.#replace(worker, message.id, message.reason);
        break;
      case 'closed':
        this.#closing?.();
        break;
    }
  }

  #noteDomain(id: number, domain: string | undefined): void {
    const message = this.#outstanding.get(id)?.message;
    if (domain === undefined || message?.type !== 'call' || message.session === undefined) return;
    this.#domains.set(message.session, domain);
  }

  #answer(id: number, answer: Answer): void {
    const outstanding = this.#outstanding.get(id);
    this.#outstanding.delete(id);
    outstanding?.answer(answer);
  }

  #firstId(): number | undefined {
    return this.#outstanding.keys().next().value;
  }

  /** The call that broke the thread is answered; the others are run by a fresh one. */
  #replace(worker: Worker, brokenId: number | undefined, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    log(`the core broke and is replaced: ${reason}`);
    if (this.#isUp) {
      if (brokenId !== undefined) this.#answer(brokenId, brokenBy(reason));
      this.start();
      return;
    }
    // It does not even start: another try is made at the next call, not in a loop.
    for (const id of [...this.#outstanding.keys()]) this.#answer(id, brokenBy(reason));
    this.#closing?.();
  }
}
