import { brokenBy, failedWith } from 'limbic-shell/answer.ts';
import type { KnownFailure } from 'limbic-shell/failure.ts';
import {
  type Ask,
  askId,
  type CoreSettings,
  type EncryptionState,
  type FromCore,
  type Reply,
  type Request,
  type Role,
  type ToCore,
} from '../../core/messages.ts';
import type { Progress } from '../source.ts';
import { randomId } from '../../components/random-id.ts';
import { WatchedWorker } from './watched-worker.ts';

/** Settings that all workers share. */
type SharedSettings = Omit<CoreSettings, 'begun' | 'runsQueue' | 'files' | 'livenessLock' | 'page'>;

interface Outstanding {
  readonly ask: Ask;
  readonly resolve: (reply: Reply) => void;
  readonly progress: Progress | undefined;
  breaks: number;
}

export interface CoreThreadEvents {
  readonly onrole: (role: Role) => void;
  readonly onup: () => void;
  readonly onproblem: (text: string) => void;
  readonly onchanged: () => void;
  readonly onencryption: (state: EncryptionState) => void;
  readonly onunfinished: (text: string) => void;
  readonly onpending: (count: number) => void;
  /** The browser has ended the worker; another one is being started. `isLost`: the data was only in the worker. */
  readonly onended: (isLost: boolean) => void;
}

/** After this many traps outside of requests, the embedding queue is disabled: one of its entries traps the module. */
const MAX_QUEUE_TRAPS = 3;
/** Maximum number of workers that may break during a request. */
const MAX_BREAKS = 2;
/** Maximum number of consecutive workers that end before they are ready. */
const MAX_STARTS = 3;
const RESTART_MILLIS = 200;

/** The page's interface to the core worker: sends requests, receives replies, replaces a broken worker. */
export class CoreThread {
  readonly #settings: SharedSettings;
  readonly #events: CoreThreadEvents;
  readonly #page = randomId();
  readonly #outstanding = new Map<string, Outstanding>();
  readonly #begun = new Set<string>();
  #files: CoreSettings['files'];
  #worker: WatchedWorker<ToCore, FromCore> | undefined;
  #isUp = false;
  #isStandalone = false;
  #starts = 0;
  #nextId = 0;
  #queueTraps = 0;

  constructor(settings: SharedSettings, events: CoreThreadEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  start(): void {
    if (this.#worker !== undefined) return;
    const worker = new Worker(new URL('../../core/core-worker.ts', import.meta.url), { type: 'module', name: 'core' });
    this.#worker = new WatchedWorker<ToCore, FromCore>(worker, {
      onmessage: (message) => this.#receive(message),
      onerror: (reason) => this.#replace(undefined, reason),
      onunloadable: (failure) => this.#fail(failure),
      onended: () => this.#ended(),
    });
    this.#isUp = false;
    this.#starts += 1;
    const runsQueue = this.#queueTraps < MAX_QUEUE_TRAPS;
    const settings: CoreSettings = {
      ...this.#settings,
      page: this.#page,
      files: this.#files,
      begun: [...this.#begun],
      runsQueue,
      livenessLock: this.#worker.livenessLock,
    };
    this.#post({ type: 'start', settings });
    for (const { ask } of this.#outstanding.values()) this.#post({ type: 'ask', ask });
  }

  /** Sends a request to the core, here or in another tab. Never rejects; failures are returned as an error reply. */
  ask(request: Request, progress?: Progress): Promise<Reply> {
    const ask: Ask = { id: askId(this.#page, this.#nextId++), request };
    return new Promise((resolve) => {
      this.#outstanding.set(ask.id, { ask, resolve, progress, breaks: 0 });
      if (this.#worker === undefined) this.start();
      else this.#post({ type: 'ask', ask });
    });
  }

  /** Connects the core to an encoder; `undefined` disconnects it. */
  connect(port: MessagePort | undefined): void {
    if (port === undefined) this.#post({ type: 'encoder-gone' });
    else this.#worker?.post({ type: 'encoder', port }, [port]);
  }

  close(): void {
    this.#post({ type: 'close' });
    this.#worker?.detach();
  }

  #receive(message: FromCore): void {
    switch (message.type) {
      case 'alive':
        break;
      case 'role':
        this.#isStandalone = message.role.kind === 'standalone';
        this.#events.onrole(message.role);
        break;
      case 'up':
        this.#isUp = true;
        this.#starts = 0;
        this.#events.onup();
        break;
      case 'problem':
        this.#events.onproblem(message.text);
        break;
      case 'begun':
        this.#begun.add(message.id);
        break;
      case 'ended':
        this.#begun.delete(message.id);
        break;
      case 'reply':
        this.#answer(message.id, message.reply);
        break;
      case 'progress':
        this.#outstanding.get(message.id)?.progress?.(message.done, message.total);
        break;
      case 'changed':
        this.#events.onchanged();
        break;
      case 'encryption':
        this.#events.onencryption(message.state);
        break;
      case 'unfinished':
        this.#events.onunfinished(message.text);
        break;
      case 'pending':
        this.#events.onpending(message.count);
        break;
      case 'unusable':
        this.#fail(message.failure);
        break;
      case 'trapped':
        if (message.id === undefined) this.#queueTraps += 1;
        this.#files = message.files;
        this.#replace(message.id, message.reason);
        break;
    }
  }

  /** Answers the request that broke the worker with an error; a new worker runs the others. */
  #replace(brokenId: string | undefined, reason: string): void {
    this.#drop();
    if (brokenId !== undefined) this.#answer(brokenId, brokenBy(reason));
    for (const outstanding of [...this.#outstanding.values()]) {
      outstanding.breaks += 1;
      if (outstanding.breaks >= MAX_BREAKS || !this.#isUp) this.#answer(outstanding.ask.id, brokenBy(reason));
    }
    if (this.#isUp) setTimeout(() => this.start(), RESTART_MILLIS);
    else this.#events.onproblem(reason);
  }

  /** The worker could not start: all requests fail, and the next one starts another worker. */
  #fail(failure: KnownFailure): void {
    this.#drop();
    const reply: Reply = { isError: true, text: JSON.stringify(failure) };
    for (const id of [...this.#outstanding.keys()]) this.#answer(id, reply);
    this.#events.onproblem([failure.error, failure.hint].filter((part) => part !== undefined).join('. '));
  }

  /** The worker ended without a message: outstanding requests are repeated once. */
  #ended(): void {
    const isLost = this.#isStandalone && this.#isUp;
    const mayStart = this.#isUp || this.#starts < MAX_STARTS;
    this.#drop();
    // Files of an earlier broken worker are older than the lost state.
    if (isLost) this.#files = undefined;
    for (const outstanding of [...this.#outstanding.values()]) {
      outstanding.breaks += 1;
      if (outstanding.breaks >= MAX_BREAKS || !mayStart) this.#answer(outstanding.ask.id, ended());
    }
    if (!mayStart) {
      this.#events.onproblem(
        'The browser ended the database worker of this page repeatedly. Close other tabs and reload this one.',
      );
      return;
    }
    this.#events.onended(isLost);
    setTimeout(() => this.start(), RESTART_MILLIS);
  }

  #drop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #answer(id: string, reply: Reply): void {
    this.#begun.delete(id);
    const outstanding = this.#outstanding.get(id);
    this.#outstanding.delete(id);
    outstanding?.resolve(reply);
  }

  #post(message: ToCore): void {
    this.#worker?.post(message);
  }
}

function ended(): Reply {
  return failedWith(
    'interrupted',
    'The browser ended the database worker each time it ran this call.',
    'Close other tabs, check whether the call took effect, and repeat it with fewer items at a time.',
  );
}
