import type { MessagePort } from 'node:worker_threads';
import type { EncodeRequest, FromEncoderPort } from '../messages.ts';

/** Encodings and the name of the encoder that made them. */
export interface Encoded {
  readonly encodings: Uint8Array;
  readonly encoder: string;
}

/** The core's end of the channel to the encoder, which may still be loading, be replaced, or never come. */
export class EncoderLink {
  /** Called whenever an encoder becomes ready. */
  onready: () => void = () => {};

  #port: MessagePort | undefined;
  #encoder: string | undefined;
  #isGivenUp = false;
  #nextId = 0;
  readonly #waiting = new Map<number, (encoded: Encoded | undefined) => void>();
  #settled: (() => void)[] = [];

  /** Whether a request would be answered by an encoder that has loaded its model. */
  get isReady(): boolean {
    return this.#encoder !== undefined;
  }

  /** The name of the encoder that has loaded its model. */
  get name(): string | undefined {
    return this.#encoder;
  }

  /** Talks to this encoder from here on. */
  attach(port: MessagePort): void {
    this.#drop();
    this.#port = port;
    port.on('message', (message: FromEncoderPort) => this.#receive(message));
    port.on('close', () => {
      if (port === this.#port) this.#drop();
    });
  }

  /** No encoder will come. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#drop();
    this.#settle();
  }

  /** Has tasks encoded. Gives nothing when no encoder is ready or it breaks on the way. The tasks' bytes are given away. */
  encode(tasks: Uint8Array): Promise<Encoded | undefined> {
    const port = this.#port;
    if (port === undefined || !this.isReady) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      port.postMessage({ id, tasks } satisfies EncodeRequest, [tasks.buffer as ArrayBuffer]);
    });
  }

  /** Waits until an encoder is ready or it is certain that none will be. */
  whenSettled(): Promise<void> {
    if (this.isReady || this.#isGivenUp) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  #receive(message: FromEncoderPort): void {
    if (message.type === 'ready') {
      this.#encoder = message.name;
      this.#settle();
      this.onready();
      return;
    }
    this.#waiting.get(message.id)?.({ encodings: message.encodings, encoder: this.#encoder ?? '' });
    this.#waiting.delete(message.id);
  }

  #drop(): void {
    this.#port?.close();
    this.#port = undefined;
    this.#encoder = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #settle(): void {
    for (const resolve of this.#settled) resolve();
    this.#settled = [];
  }
}
