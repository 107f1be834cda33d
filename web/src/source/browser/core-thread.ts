import { brokenBy, failedWith } from 'limbic-shell/answer.ts';
import {
  type Ask,
  askId,
  type CoreSettings,
  type FromCore,
  type Reply,
  type Request,
  type Role,
  type ToCore,
} from '../../core/messages.ts';
import type { Progress } from '../source.ts';
import { randomId } from '../../components/random-id.ts';
import { WatchedWorker } from './watched-worker.ts';

/** What is the same for each worker. */
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
  readonly onpending: (count: number) => void;
  /** The browser has ended the worker, and another is on its way. `isLost`: the data lived in the worker only. */
  readonly onended: (isLost: boolean) => void;
}

/** After so many traps that no request was to blame for, the queue is left alone: something in it breaks the module. */
const QUEUE_TRAPS_MAX = 3;
/** A request during which so many workers broke is given up. */
const BREAKS_MAX = 2;
/** After so many workers in a row that were ended before they were up, no other is tried. */
const STARTS_MAX = 3;
const RESTART_MILLIS = 200;

/** The core worker as the page sees it: requests go in, replies come out, a broken worker is replaced. */
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
      onended: () => this.#ended(),
    });
    this.#isUp = false;
    this.#starts += 1;
    const runsQueue = this.#queueTraps < QUEUE_TRAPS_MAX;
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

  /** Asks the core, here or in another tab. Fails never: what goes wrong is a reply. */
  ask(request: Request, progress?: Progress): Promise<Reply> {
    const ask: Ask = { id: askId(this.#page, this.#nextId++), request };
    return new Promise((resolve) => {
      this.#outstanding.set(ask.id, { ask, resolve, progress, breaks: 0 });
      if (this.#worker === undefined) this.start();
      else this.#post({ type: 'ask', ask });
    });
  }

  /** Connects the core with an encoder, or tells it that there is none any more. */
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
      case 'pending':
        this.#events.onpending(message.count);
        break;
      case 'trapped':
        if (message.id === undefined) this.#queueTraps += 1;
        this.#files = message.files;
        this.#replace(message.id, message.reason);
        break;
    }
  }

  /** The request that broke the worker is answered; the others are run by a fresh one. */
  #replace(brokenId: string | undefined, reason: string): void {
    this.#drop();
    if (brokenId !== undefined) this.#answer(brokenId, brokenBy(reason));
    for (const outstanding of [...this.#outstanding.values()]) {
      outstanding.breaks += 1;
      if (outstanding.breaks >= BREAKS_MAX || !this.#isUp) this.#answer(outstanding.ask.id, brokenBy(reason));
    }
    if (this.#isUp) setTimeout(() => this.start(), RESTART_MILLIS);
    else this.#events.onproblem(reason);
  }

  /** Nothing was said: what was asked is asked again, and not a third time. */
  #ended(): void {
    const isLost = this.#isStandalone && this.#isUp;
    const mayStart = this.#isUp || this.#starts < STARTS_MAX;
    this.#drop();
    // What was saved of a worker that broke before is older than what is lost.
    if (isLost) this.#files = undefined;
    for (const outstanding of [...this.#outstanding.values()]) {
      outstanding.breaks += 1;
      if (outstanding.breaks >= BREAKS_MAX || !mayStart) this.#answer(outstanding.ask.id, ended());
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
