/** The main thread's interface to the core's thread: sends calls, receives answers, replaces a broken thread. */
import { randomUUID } from 'node:crypto';
import type { MessagePort, Worker } from 'node:worker_threads';
import { CALL_LIMITS } from 'limbic-pkg/call-limits.mts';
import { brokenBy } from 'limbic-shell/answer.ts';
import { textOf } from 'limbic-shell/failure.ts';
import {
  CANCELLED_MILLIS,
  calledTool,
  importInterrupted,
  limitOf,
  OPENING,
  openingMillis,
  openingTimeoutAnswer,
  timeoutAnswer,
} from './call-limits.ts';
import type { Completion, PromptCall } from './core/run-call.ts';
import type { HookCall } from './hook-messages.ts';
import { log } from './log.ts';
import type {
  CallConfirmation,
  Caller,
  CoreSession,
  CoreSettings,
  CoreStart,
  FormerThread,
  FromCore,
  ToCore,
  ToolAccess,
} from './messages.ts';
import { endThread, INDEXING_LIMITS, startThread } from './worker-thread.ts';

/** The answer to a call: the tool's result or error as JSON text. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** Binary results, such as a database file. */
  readonly bytes?: Uint8Array | undefined;
  /** The call was not run: a person must answer this with yes before. */
  readonly question?: string | undefined;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The session of the client; call {@link CoreThread.endSession} when the client disconnects. */
  readonly session?: CoreSession;
  /** With it, a call that destroys something is answered with a question first. */
  readonly confirmation?: CallConfirmation | undefined;
  /** The access of the call; default: that of the settings. */
  readonly access?: ToolAccess | undefined;
  readonly onProgress?: (done: number, total: number) => void;
  /** Who calls. */
  readonly caller: Caller;
}

/** A message that awaits its answer. */
interface Outstanding {
  readonly message: ToCore;
  readonly answer: (answer: Answer) => void;
  readonly onProgress: CallOptions['onProgress'];
  /** Whether the client has cancelled the call or disconnected. */
  isAbandoned: boolean;
}

/** A message that the thread works for, or a step of it. */
interface Running {
  readonly id: number;
  readonly limitMillis: number;
  /** Of an import: what its earlier steps have stored. */
  readonly stored: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

type RunningMessage = Extract<FromCore, { readonly type: 'running' }>;

/**
 * After this many failures outside of calls, background work is disabled: an entry of a queue traps the module or never
 * ends.
 */
const MAX_QUEUE_TRAPS = 3;

const MEBIBYTE = 1024 * 1024;

/** The answer to a call that was cancelled before it was run. Nobody waits for it. */
const NOT_RUN: Answer = { isError: true, text: '{}' };

/** The answer to a call that does not complete before the process ends. */
const UNFINISHED: Answer = {
  isError: true,
  text: JSON.stringify({
    error: 'This server is shutting down: the call was not completed',
    code: 'stopping',
    hint: 'Check whether it took effect before you repeat it',
  }),
};

/** Owns the core's thread and all outstanding calls. */
export class CoreThread {
  readonly settings: CoreSettings;
  #worker: Worker | undefined;
  /** Identifies the locks of the thread. */
  #instance = '';
  readonly #former: FormerThread[] = [];
  #hasOpened = false;
  #onopened: () => void = () => {};
  #nextId = 0;
  #threads = 0;
  /** In order of arrival, which is the order of execution. */
  readonly #outstanding = new Map<number, Outstanding>();
  #queueTraps = 0;
  /** Whether the last thread was replaced for its memory. */
  #followsLargeOne = false;
  /** The message that the thread works for, with its time limit. */
  #running: Running | undefined;
  /** The message that the thread works for, which need not have a time limit. */
  #serving: number | undefined;
  /** Expires when the thread has not opened the database in time. */
  #openingTimer: NodeJS.Timeout | undefined;
  /** Expires when the thread has not begun to work for any message in time. */
  #backgroundTimer: NodeJS.Timeout | undefined;
  #closing: (() => void) | undefined;
  #isAborted = false;
  /** The current domain of each session; a replacement thread resumes sessions in these domains. */
  readonly #domains = new Map<string, string>();

  constructor(settings: CoreSettings) {
    this.settings = settings;
  }

  /** Starts the thread if it is not running. */
  start(): void {
    if (this.#worker !== undefined) return;
    this.#instance = randomUUID();
    const settings: CoreStart = {
      ...this.settings,
      instance: this.#instance,
      former: this.#former,
      runsQueue: this.settings.runsQueue && this.#queueTraps < MAX_QUEUE_TRAPS,
      sessions: [...this.#domains].map(([session, domain]) => ({ session, domain })),
      followsLargeOne: this.#followsLargeOne,
    };
    const resourceLimits = settings.code === undefined ? {} : INDEXING_LIMITS;
    const worker = startThread('core-worker.js', settings, { resourceLimits });
    this.#worker = worker;
    this.#threads += 1;
    this.#hasOpened = false;
    let reason = 'the thread ended';
    worker.on('message', (message: FromCore) => this.#receive(worker, message));
    worker.on('error', (error) => {
      reason = textOf(error);
    });
    worker.on('exit', () => this.#died(worker, reason));
    for (const [id, { message, isAbandoned }] of [...this.#outstanding]) {
      // A call that was cancelled is not run again.
      if (isAbandoned) this.#answer(id, NOT_RUN);
      else worker.postMessage(message);
    }
    this.#watchOpening(worker);
    if (this.#closing !== undefined) worker.postMessage({ type: 'close' } satisfies ToCore);
  }

  /**
   * Calls `work` when the thread has opened the database, or could not open it, also after each replacement of the
   * thread; at once if it has.
   */
  whenOpened(work: () => void): void {
    this.#onopened = work;
    if (this.#hasOpened) work();
  }

  /** Runs a tool. Never rejects; failures are returned as an error answer. */
  call(tool: string, args: string, options: CallOptions): Promise<Answer> {
    // A client may cancel a call before it gets here.
    if (options.signal?.aborted === true) return Promise.resolve(NOT_RUN);
    const id = this.#nextId++;
    const { access, session, confirmation, caller, signal } = options;
    const cancel = (): void => {
      this.#worker?.postMessage({ type: 'cancel', id } satisfies ToCore);
      this.#stopSoon(id);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const message: ToCore = { type: 'call', id, tool, args, access, session, confirmation, caller };
    // A caller may have one signal for many calls.
    return this.#ask(message, options.onProgress).finally(() => signal?.removeEventListener('abort', cancel));
  }

  /** The tools that the core offers with this access, as JSON; default: that of the settings. */
  tools(access?: ToolAccess): Promise<string> {
    return this.#text({ type: 'tools', id: this.#nextId++, access });
  }

  /**
   * The resources, resource templates and prompts with this access, as JSON: `{resources, resourceTemplates, prompts}`.
   */
  resources(access: ToolAccess | undefined): Promise<string> {
    return this.#text({ type: 'resources', id: this.#nextId++, access });
  }

  /** Reads a resource. Never rejects; failures are returned as an error answer. */
  resource(uri: string, access: ToolAccess | undefined): Promise<Answer> {
    return this.#ask({ type: 'resource', id: this.#nextId++, uri, access }, undefined);
  }

  /**
   * Exports the database, with the memories of all users, as the bytes of a SQLite file. Never rejects; failures are
   * returned as an error answer.
   */
  database(): Promise<Answer> {
    return this.#ask({ type: 'database', id: this.#nextId++ }, undefined);
  }

  /** A value that changes when another process has changed the database; `undefined` if it is not available. */
  async version(): Promise<string | undefined> {
    const answer = await this.#ask({ type: 'version', id: this.#nextId++ }, undefined);
    return answer.isError ? undefined : `${this.#threads} ${answer.text}`;
  }

  /** Renders a prompt. Never rejects. */
  prompt(call: PromptCall, access: ToolAccess | undefined): Promise<Answer> {
    return this.#ask({ type: 'prompt', id: this.#nextId++, ...call, access }, undefined);
  }

  /**
   * The beginnings of JSON texts, with at most `maxChars` characters each, in which secrets are withheld; `undefined`
   * if the core fails.
   */
  async withoutSecrets(texts: readonly string[], maxChars: number): Promise<readonly string[] | undefined> {
    const answer = await this.#ask({ type: 'without-secrets', id: this.#nextId++, texts, maxChars }, undefined);
    return answer.isError ? undefined : (JSON.parse(answer.text) as string[]);
  }

  /** Runs a hook of another process. The text is what it prints; empty for nothing. Never rejects. */
  hook(call: HookCall, access: ToolAccess, signal: AbortSignal): Promise<Answer> {
    const id = this.#nextId++;
    const cancel = (): void => {
      this.#worker?.postMessage({ type: 'cancel', id } satisfies ToCore);
      this.#stopSoon(id);
    };
    signal.addEventListener('abort', cancel, { once: true });
    return this.#ask({ type: 'hook', id, access, ...call }, undefined);
  }

  /** Drops the state of a client that has disconnected. */
  endSession(session: string): void {
    this.#domains.delete(session);
    const running = this.#running === undefined ? undefined : this.#outstanding.get(this.#running.id)?.message;
    if (running?.type === 'call' && running.session?.id === session) this.#stopSoon(running.id);
    this.#worker?.postMessage({ type: 'end-session', session } satisfies ToCore);
  }

  /** Completes an argument of a resource template or a prompt. Never rejects. */
  complete(completion: Completion, access: ToolAccess | undefined): Promise<Answer> {
    return this.#ask({ type: 'complete', id: this.#nextId++, ...completion, access }, undefined);
  }

  /** Connects the core to an encoder; `undefined` disconnects it. */
  connect(port: MessagePort | undefined): void {
    if (port === undefined) this.#worker?.postMessage({ type: 'encoder-gone' } satisfies ToCore);
    else this.#worker?.postMessage({ type: 'encoder', port } satisfies ToCore, [port]);
  }

  /** Runs the outstanding calls, then closes the database. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closing = resolve;
      if (this.#worker === undefined) resolve();
      else this.#worker.postMessage({ type: 'close' } satisfies ToCore);
    });
  }

  /** Ends the thread, once the database is closed. */
  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) await endThread(worker);
  }

  /** Whether a message awaits its answer, for which the server may still wait. */
  get isBusy(): boolean {
    return !this.#isAborted && this.#outstanding.size > 0;
  }

  /** Answers the calls that have not started with an error. */
  abortPending(): void {
    this.#isAborted = true;
    this.#worker?.postMessage({ type: 'abort-pending' } satisfies ToCore);
  }

  /** Answers the calls that the thread has not answered: the process ends. */
  refuseRest(): void {
    for (const id of [...this.#outstanding.keys()]) this.#answer(id, UNFINISHED);
  }

  async #text(message: ToCore & { readonly id: number }): Promise<string> {
    const answer = await this.#ask(message, undefined);
    if (answer.isError) throw new Error(answer.text);
    return answer.text;
  }

  #ask(message: ToCore & { readonly id: number }, onProgress: CallOptions['onProgress']): Promise<Answer> {
    return new Promise((answer) => {
      this.#outstanding.set(message.id, { message, answer, onProgress, isAbandoned: false });
      if (this.#worker === undefined) {
        this.start();
        return;
      }
      this.#worker.postMessage(message);
      if (this.#backgroundTimer === undefined) this.#watchBackground(this.#worker);
    });
  }

  #receive(worker: Worker, message: FromCore): void {
    if (worker !== this.#worker) return;
    if (message.type === 'running') this.#serving = message.id;
    this.#handle(worker, message);
    if (worker === this.#worker) this.#watchBackground(worker);
  }

  #handle(worker: Worker, message: FromCore): void {
    switch (message.type) {
      case 'opened':
        this.#hasOpened = true;
        clearTimeout(this.#openingTimer);
        this.#onopened();
        break;
      case 'running':
        this.#watch(worker, message);
        break;
      case 'answer':
        if (message.id === this.#running?.id) this.#unwatch();
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
      case 'retired':
        this.#followsLargeOne = true;
        log(`the core is restarted: it was idle with ${Math.round(message.bytes / MEBIBYTE)} MiB of memory`);
        this.#renew(worker);
        break;
      case 'closed':
        this.#closing?.();
        break;
    }
  }

  /** Ends the thread, and answers all messages, if it does not open the database in the time for a file of its size. */
  #watchOpening(worker: Worker): void {
    clearTimeout(this.#openingTimer);
    const { db, testHang, testLimitMillis } = this.settings;
    const limit = (testHang === OPENING ? testLimitMillis : undefined) ?? openingMillis(db);
    this.#openingTimer = afterMessages(limit, () => {
      if (worker !== this.#worker || this.#hasOpened) return;
      this.#replace(worker, undefined, 'the database was not opened in time', openingTimeoutAnswer(limit));
    });
  }

  /** Replaces the thread if it still works for this message when the message's time limit expires. */
  #watch(worker: Worker, { id, fileBytes, stored }: RunningMessage): void {
    this.#unwatch();
    const outstanding = id === undefined ? undefined : this.#outstanding.get(id);
    if (id === undefined || outstanding === undefined) return;
    const ofMessage = limitOf(outstanding.message, fileBytes);
    if (ofMessage === undefined) return;
    const limit = this.settings.testLimitMillis ?? ofMessage;
    const running: Running = { id, limitMillis: limit, stored, timer: undefined };
    running.timer = this.#stopAfter(worker, running, limit);
    this.#running = running;
    if (outstanding.isAbandoned) this.#stopSoon(id);
  }

  #unwatch(): void {
    clearTimeout(this.#running?.timer);
    this.#running = undefined;
  }

  /**
   * Replaces the thread if messages wait and it works for none of them, nor sends anything, for the time that
   * background work may take. Called after each message of the thread.
   */
  #watchBackground(worker: Worker): void {
    clearTimeout(this.#backgroundTimer);
    this.#backgroundTimer = undefined;
    // With `drainsQueue`, a call waits for all background work.
    if (this.#serving !== undefined || !this.#hasOpened || this.settings.drainsQueue || this.#outstanding.size === 0)
      return;
    const timer = afterMessages(this.settings.testLimitMillis ?? CALL_LIMITS.backgroundMillis, () => {
      if (this.#backgroundTimer !== timer) return;
      this.#queueTraps += 1;
      this.#replace(worker, undefined, 'background work took too long');
    });
    this.#backgroundTimer = timer;
  }

  /** Shortens the time limit of a read-only call whose client has cancelled it or disconnected. */
  #stopSoon(id: number): void {
    const outstanding = this.#outstanding.get(id);
    if (outstanding !== undefined) outstanding.isAbandoned = true;
    const worker = this.#worker;
    if (worker === undefined || this.#running?.id !== id || outstanding?.message.type !== 'call') return;
    // A call is stopped when its client has gone if it only reads.
    if (!calledTool(outstanding.message.tool, outstanding.message.args).isRead) return;
    clearTimeout(this.#running.timer);
    this.#running.timer = this.#stopAfter(worker, this.#running, CANCELLED_MILLIS);
  }

  #stopAfter(worker: Worker, running: Running, millis: number): NodeJS.Timeout {
    const timer = afterMessages(millis, () => {
      // It was answered, or its time limit was changed.
      if (this.#running !== running || running.timer !== timer) return;
      this.#replace(worker, running.id, 'a call took too long', timeoutAnswer(running.limitMillis, running.stored));
    });
    return timer;
  }

  #noteDomain(id: number, domain: string | undefined): void {
    const message = this.#outstanding.get(id)?.message;
    if (domain === undefined || message?.type !== 'call' || message.session === undefined) return;
    if (!message.session.isStateless) this.#domains.set(message.session.id, domain);
  }

  #answer(id: number, answer: Answer): void {
    const outstanding = this.#outstanding.get(id);
    this.#outstanding.delete(id);
    outstanding?.answer(answer);
  }

  #firstId(): number | undefined {
    return this.#outstanding.keys().next().value;
  }

  /** The thread ended without saying why: in the message that it worked for, or in background work. */
  #died(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    let id = this.#serving;
    if (id === undefined) {
      // If it still ends without background work, it is a message that is answered out of order.
      if (this.#queueTraps >= MAX_QUEUE_TRAPS) id = this.#firstId();
      this.#queueTraps += 1;
    }
    this.#replace(worker, id, reason);
  }

  #drop(worker: Worker): void {
    this.#unwatch();
    clearTimeout(this.#openingTimer);
    clearTimeout(this.#backgroundTimer);
    this.#backgroundTimer = undefined;
    this.#serving = undefined;
    this.#worker = undefined;
    // Its locks may be broken once it has ended, not before: it may be writing.
    const end = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#former.push({ instance: this.#instance, end });
    void endThread(worker).then(() => Atomics.store(end, 0, 1));
  }

  /** Starts a new thread, which runs the outstanding calls. */
  #renew(worker: Worker): void {
    this.#drop(worker);
    this.start();
  }

  /** The answer to a call that broke the thread: that of an import says what its earlier steps have stored. */
  #brokenBy(id: number | undefined, reason: string): Answer {
    const stored = id === this.#running?.id ? this.#running?.stored : undefined;
    return brokenBy(stored === undefined ? reason : importInterrupted(reason, stored));
  }

  /** Answers the call that caused the failure with an error; a new thread runs the others. */
  #replace(
    worker: Worker,
    brokenId: number | undefined,
    reason: string,
    answer: Answer = this.#brokenBy(brokenId, reason),
  ): void {
    if (worker !== this.#worker) return;
    log(`the core failed and is restarted${this.#hasOpened ? '' : ' by the next call'}: ${reason}`);
    this.#followsLargeOne = false;
    if (this.#hasOpened) {
      if (brokenId !== undefined) this.#answer(brokenId, answer);
      this.#renew(worker);
      return;
    }
    this.#drop(worker);
    // The thread failed before or while it opened the database. Starting it again here could loop; the next call does.
    for (const id of [...this.#outstanding.keys()]) this.#answer(id, answer);
    this.#closing?.();
  }
}

/**
 * Runs `work` after this time, and after the handlers of all messages that have arrived by then: if this thread was
 * busy, its timers run before them, and a call that one of them answers would run again.
 */
function afterMessages(millis: number, work: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(work), millis).unref();
}
