/**
 * The main thread's interface to the encoder's thread: started when the core has opened the database, replaced when it
 * breaks, up to `MAX_TRIES` times.
 */
import { MessageChannel, type Worker } from 'node:worker_threads';
import type { CoreThread } from './core-thread.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import type { EncoderSettings, FromEncoder, ToEncoder } from './messages.ts';
import { endThread, startThread } from './worker-thread.ts';

const MAX_TRIES = 5;
const FIRST_PAUSE_MILLIS = 500;
/**
 * Time between the opening of the database and the first start. Loading the model takes all that a processor has for
 * about a second, and a client that starts a server for a call makes it by then.
 */
const START_DELAY_MILLIS = 200;
/** A thread that ran this long resets the count of tries. */
const HEALTHY_MILLIS = 60_000;

/** Owns the encoder's thread. Without it, search is a keyword search. */
export class EncoderThread {
  readonly settings: EncoderSettings;
  #worker: Worker | undefined;
  #tries = 0;
  #isUnusable = false;
  #isEnded = false;
  #core: CoreThread | undefined;

  constructor(settings: EncoderSettings) {
    this.settings = settings;
  }

  /** Connects the encoder to this core and to each of its replacements. */
  join(core: CoreThread): void {
    this.#core = core;
    core.whenOpened(() => {
      if (this.#worker === undefined) this.#startIn(START_DELAY_MILLIS);
      else this.#connect(this.#worker);
    });
  }

  /** Ends the thread; it is not restarted. */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#worker !== undefined) await endThread(this.#worker);
  }

  #startIn(millis: number): void {
    setTimeout(() => {
      if (this.#worker === undefined) this.#start();
    }, millis).unref();
  }

  #start(): void {
    if (this.#isEnded) return;
    if (this.#isUnusable) {
      this.#core?.connect(undefined);
      return;
    }
    this.#tries += 1;
    const startedMillis = performance.now();
    const settings = { ...this.settings, crashes: this.settings.crashes && this.#tries === 1 };
    const worker = startThread('encoder-worker.js', settings);
    this.#worker = worker;
    let reason = 'the thread ended';
    worker.on('message', (message: FromEncoder) => {
      if (message.type === 'unusable') {
        this.#isUnusable = true;
        reason = `${message.reason} (${message.code})`;
      }
    });
    worker.on('error', (error) => {
      reason = textOf(error);
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      if (this.#isEnded) return;
      if (performance.now() - startedMillis > HEALTHY_MILLIS) this.#tries = 0;
      this.#restart(reason);
    });
    this.#connect(worker);
  }

  #restart(reason: string): void {
    if (this.#tries >= MAX_TRIES) this.#isUnusable = true;
    if (this.#isUnusable) {
      log(`keyword search only: ${reason}`);
      this.#core?.connect(undefined);
      return;
    }
    log(`the encoder failed and is restarted: ${reason}`);
    this.#startIn(FIRST_PAUSE_MILLIS * 2 ** (this.#tries - 1));
  }

  #connect(worker: Worker): void {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ type: 'connect', port: port1 } satisfies ToEncoder, [port1]);
    this.#core?.connect(port2);
  }
}
