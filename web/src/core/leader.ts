import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { tools } from 'limbic-pkg/core/limbic_core.js';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { failedWith } from 'limbic-shell/answer.ts';
import { knownFailure } from 'limbic-shell/failure.ts';
import type { Ask, EncryptionOrder, Reply, Request } from './messages.ts';
import { EmbeddingWorker } from 'limbic-shell/embedding-worker.ts';
import { answerStatic, runRequest, type StaticRequest } from './run-request.ts';

/** Interval for checking the embedding queue: another tab may have added entries and closed. */
const POLL_MILLIS = 5000;
/** Number of stored replies for repeated requests. */
const MAX_REPLIES = 500;
/** Longer replies are not stored: they belong to read-only calls, which can be repeated. */
const MAX_REPLY_LENGTH = 50_000;

/** Requests other than calls that change nothing. */
const READING: ReadonlySet<Request['what']> = new Set(['export', 'trap']);

export interface LeaderOptions {
  /** Opens the database, or throws the core's error. */
  readonly open: () => Promise<Core>;
  /** Changes how the closed database is stored. Throws only if the module trapped. */
  readonly convert: (order: EncryptionOrder) => Promise<Reply>;
  readonly toolsets: readonly string[];
  readonly reply: (id: string, reply: Reply) => void;
  readonly begun: (id: string) => void;
  readonly progress: (id: string, done: number, total: number) => void;
  readonly changed: () => void;
  readonly pending: (count: number) => void;
  readonly trapped: (error: unknown, id?: string) => void;
}

/** Holds the database and runs requests one after the other, in order of arrival. */
export class Leader {
  readonly #options: LeaderOptions;
  readonly #link: EncoderLink;
  readonly #embeddingWorker: EmbeddingWorker;
  readonly #isBegun: (id: string) => boolean;
  readonly #unrepeatable = new Set<string>();
  readonly #readers = new Set<string>();
  readonly #queue: Ask[] = [];
  readonly #replies = new Map<string, Reply>();
  #core: Core | undefined;
  #runningId: string | undefined;
  #isServing = false;
  #isBroken = false;
  #idle: (() => void)[] = [];

  /** @param isBegun whether an earlier leader began a request whose completion is unknown. */
  constructor(link: EncoderLink, isBegun: (id: string) => boolean, runsQueue: boolean, options: LeaderOptions) {
    this.#options = options;
    this.#link = link;
    this.#isBegun = isBegun;
    for (const { name, annotations } of JSON.parse(
      tools(JSON.stringify({ toolsets: options.toolsets })),
    ) as ListedTool[]) {
      if (annotations.readOnlyHint) this.#readers.add(name);
      else if (!annotations.idempotentHint) this.#unrepeatable.add(name);
    }
    this.#embeddingWorker = new EmbeddingWorker(link, {
      idleCore: () => (this.#isServing ? undefined : this.#core),
      whenIdle: () => this.#whenIdle(),
      rest: turnOfLoop,
      turnOfLoop,
      trapped: (error) => this.#trap(error),
      waits: () => {},
      left: options.pending,
    });
    setInterval(() => this.#embeddingWorker.wake(), POLL_MILLIS);
    if (!runsQueue) this.#embeddingWorker.stop();
  }

  /** Opens the database before the first request. Returns the core's error if that fails. */
  async tryOpen(): Promise<string | undefined> {
    try {
      await this.#open();
      this.#embeddingWorker.wake();
      return undefined;
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) this.#trap(error);
      return failure?.error;
    }
  }

  /** Runs a request unless it is running or has been answered. */
  ask(ask: Ask): void {
    if (this.#isBroken || this.#runningId === ask.id || this.#queue.some(({ id }) => id === ask.id)) return;
    const reply = this.#replies.get(ask.id);
    if (reply !== undefined) {
      this.#options.reply(ask.id, reply);
      return;
    }
    if (this.#isBegun(ask.id)) {
      this.#options.reply(ask.id, interrupted());
      return;
    }
    this.#queue.push(ask);
    void this.#serve();
  }

  close(): void {
    this.#embeddingWorker.stop();
    this.#isBroken = true;
    this.#core?.close();
    this.#core = undefined;
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let ask = this.#queue.shift(); ask !== undefined && !this.#isBroken; ask = this.#queue.shift()) {
      this.#runningId = ask.id;
      await this.#run(ask);
      this.#runningId = undefined;
      await turnOfLoop();
    }
    this.#isServing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
    if (!this.#isBroken) this.#embeddingWorker.wake();
  }

  async #run({ id, request }: Ask): Promise<void> {
    try {
      if (request.what === 'tools' || request.what === 'new-phrase') {
        this.#options.reply(id, answerStatic(request, this.#options.toolsets));
        return;
      }
      const reply = await this.#reply(id, request);
      this.#remember(id, reply);
      this.#options.reply(id, reply);
      const reads = request.what === 'call' ? this.#readers.has(request.tool) : READING.has(request.what);
      if (!reads && !reply.isError) this.#options.changed();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) this.#trap(error, id);
      else this.#options.reply(id, { isError: true, text: JSON.stringify(failure) });
    }
  }

  async #reply(id: string, request: Exclude<Request, StaticRequest>): Promise<Reply> {
    // A database without its key can only be unlocked.
    const core = request.what === 'unlock' ? this.#core : await this.#open();
    if (this.#isUnrepeatable(request)) this.#options.begun(id);
    if (core === undefined || isEncryptionOrder(request)) return this.#convert(request as EncryptionOrder, core);
    return runRequest(core, request, {
      link: this.#link,
      progress: (done, total) => this.#options.progress(id, done, total),
      // The part before the colon identifies the page.
      session: id.slice(0, id.indexOf(':')),
    });
  }

  async #convert(order: EncryptionOrder, core: Core | undefined): Promise<Reply> {
    this.#core = undefined;
    core?.close();
    const reply = await this.#options.convert(order);
    // Reports how it is stored now. What fails is the answer of the next request.
    await this.#open().catch(() => {});
    return reply;
  }

  #isUnrepeatable(request: Request): boolean {
    // A second run would fail, because the first one has succeeded.
    if (isEncryptionOrder(request)) return true;
    // A second run would return the imported records for undo, or ask whether it may replace what it has imported.
    if (request.what === 'import') return true;
    return request.what === 'call' && this.#unrepeatable.has(request.tool);
  }

  async #open(): Promise<Core> {
    this.#core ??= await this.#options.open();
    return this.#core;
  }

  #remember(id: string, reply: Reply): void {
    if (reply.bytes !== undefined || reply.text.length > MAX_REPLY_LENGTH) return;
    this.#replies.set(id, reply);
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > MAX_REPLIES && oldest !== undefined) this.#replies.delete(oldest);
  }

  #trap(error: unknown, id?: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#embeddingWorker.stop();
    this.#core = undefined;
    this.#options.trapped(error, id);
  }

  #whenIdle(): Promise<void> {
    if (!this.#isServing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}

function isEncryptionOrder(request: Request): request is EncryptionOrder {
  return request.what === 'encrypt' || request.what === 'decrypt' || request.what === 'unlock';
}

/** Lets waiting messages be handled first. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface ListedTool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly idempotentHint: boolean };
}

function interrupted(): Reply {
  return failedWith(
    'interrupted',
    'The worker that held the database ended while this call ran (its tab was closed, or the browser ended it). The call was not repeated.',
    'Check whether it took effect before you repeat it.',
  );
}
