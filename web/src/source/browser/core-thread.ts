import { shellFailure } from '../../core/failure.ts';
import type { Ask, CoreSettings, FromCore, Reply, Request, Seat, ToCore } from '../../core/messages.ts';
import type { Progress } from '../source.ts';

interface Outstanding {
  readonly ask: Ask;
  readonly settle: (reply: Reply) => void;
  readonly progress: Progress | undefined;
  breaks: number;
}

export interface CoreThreadEvents {
  readonly onseat: (seat: Seat) => void;
  readonly onup: () => void;
  readonly onproblem: (text: string) => void;
  readonly onchanged: () => void;
  readonly onpending: (count: number) => void;
}

/** After so many traps that no request was to blame for, the queue is left alone: something in it breaks the module. */
const PUMP_TRAPS_MAX = 3;
/** A request during which so many workers broke is given up. */
const BREAKS_MAX = 2;
const RESTART_MILLIS = 200;

/** The core worker as the page sees it: requests go in, replies come out, a broken worker is replaced. */
export class CoreThread {
  readonly #settings: CoreSettings;
  readonly #events: CoreThreadEvents;
  readonly #page = crypto.randomUUID();
  readonly #outstanding = new Map<string, Outstanding>();
  readonly #begun = new Set<string>();
  #files: CoreSettings['files'];
  #worker: Worker | undefined;
  #isUp = false;
  #nextId = 0;
  #pumpTraps = 0;

  constructor(settings: Omit<CoreSettings, 'begun' | 'pumps'>, events: CoreThreadEvents) {
    this.#settings = { ...settings, begun: [], pumps: true };
    this.#events = events;
  }

  start(): void {
    if (this.#worker !== undefined) return;
    const worker = new Worker(new URL('../../core/core-worker.ts', import.meta.url), { type: 'module', name: 'core' });
    this.#worker = worker;
    this.#isUp = false;
    worker.onmessage = ({ data }: MessageEvent<FromCore>) => {
      if (worker === this.#worker) this.#receive(data);
    };
    worker.onerror = (event) => {
      if (worker === this.#worker) this.#replace(undefined, event.message);
    };
    const pumps = this.#pumpTraps < PUMP_TRAPS_MAX;
    const settings = { ...this.#settings, files: this.#files, begun: [...this.#begun], pumps };
    this.#post({ type: 'start', settings });
    for (const { ask } of this.#outstanding.values()) this.#post({ type: 'ask', ask });
  }

  /** Asks the core, here or in another tab. Fails never: what goes wrong is a reply. */
  ask(request: Request, progress?: Progress): Promise<Reply> {
    const ask: Ask = { id: `${this.#page}:${this.#nextId++}`, request };
    return new Promise((settle) => {
      this.#outstanding.set(ask.id, { ask, settle, progress, breaks: 0 });
      if (this.#worker === undefined) this.start();
      else this.#post({ type: 'ask', ask });
    });
  }

  /** Connects the core with an encoder, or tells it that there is none any more. */
  connect(port: MessagePort | undefined): void {
    if (port === undefined) this.#post({ type: 'encoder-gone' });
    else this.#worker?.postMessage({ type: 'encoder', port } satisfies ToCore, [port]);
  }

  close(): void {
    this.#post({ type: 'close' });
  }

  #receive(message: FromCore): void {
    switch (message.type) {
      case 'seat':
        this.#events.onseat(message.seat);
        break;
      case 'up':
        this.#isUp = true;
        this.#events.onup();
        break;
      case 'problem':
        this.#events.onproblem(message.text);
        break;
      case 'begun':
        this.#begun.add(message.id);
        break;
      case 'reply':
        this.#settle(message.id, message.reply);
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
        if (message.id === undefined) this.#pumpTraps += 1;
        this.#files = message.files;
        this.#replace(message.id, message.reason);
        break;
    }
  }

  /** The request that broke the worker is answered; the others are run by a fresh one. */
  #replace(brokenId: string | undefined, reason: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    if (brokenId !== undefined) this.#settle(brokenId, internal(reason));
    for (const outstanding of [...this.#outstanding.values()]) {
      outstanding.breaks += 1;
      if (outstanding.breaks >= BREAKS_MAX || !this.#isUp) this.#settle(outstanding.ask.id, internal(reason));
    }
    if (this.#isUp) setTimeout(() => this.start(), RESTART_MILLIS);
    else this.#events.onproblem(reason);
  }

  #settle(id: string, reply: Reply): void {
    this.#begun.delete(id);
    const outstanding = this.#outstanding.get(id);
    this.#outstanding.delete(id);
    outstanding?.settle(reply);
  }

  #post(message: ToCore): void {
    this.#worker?.postMessage(message);
  }
}

function internal(reason: string): Reply {
  return shellFailure(
    'internal',
    `Limbic met a defect of its own during this call and has started afresh: ${reason}`,
    'Look whether the call took effect before you try it again, and please report the defect.',
  );
}
