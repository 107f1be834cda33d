import type { Core } from 'limbic-pkg/core/limbic_core.js';

/** A message from the core to the encoder. */
export interface EncodeRequest {
  readonly id: number;
  readonly tasks: Uint8Array;
}

/** A message from the encoder to the core. */
export type FromEncoderPort =
  | { readonly type: 'ready'; readonly name: string }
  | { readonly type: 'encoded'; readonly id: number; readonly encodings: Uint8Array };

/** The core's end of a channel to an encoder: a `MessagePort` of either engine. */
export interface EncoderPort {
  /** The tasks' buffers are transferred. */
  send(request: EncodeRequest): void;
  listen(onMessage: (message: FromEncoderPort) => void, onClose: () => void): void;
  close(): void;
}

/** Encodings and the name of their encoder. */
export interface Encoded {
  readonly encodings: Uint8Array;
  readonly encoder: string;
}

export const NO_ENCODINGS = new Uint8Array(0);

/** The core's link to the encoder, which may still be loading, be replaced, or be absent. */
export class EncoderLink {
  /** Called whenever an encoder becomes ready. */
  onready: () => void = () => {};

  #port: EncoderPort | undefined;
  #encoder: string | undefined;
  #isGivenUp = false;
  #nextId = 0;
  readonly #waiting = new Map<number, (encoded: Encoded | undefined) => void>();
  #loadWaiters: (() => void)[] = [];

  /** The name of the encoder that has loaded its model; without one, a request would not be answered. */
  get name(): string | undefined {
    return this.#encoder;
  }

  /** Connects this encoder. */
  attach(port: EncoderPort): void {
    this.drop();
    this.#port = port;
    port.listen(
      (message) => this.#receive(message),
      () => {
        if (port === this.#port) this.drop();
      },
    );
  }

  /** Disconnects the encoder; outstanding tasks resolve to `undefined`. */
  drop(): void {
    this.#port?.close();
    this.#port = undefined;
    this.#encoder = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  /** Records that there will be no encoder. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.drop();
    this.#endLoading();
  }

  /** Encodes tasks. `undefined` if no encoder is ready or it fails. The tasks' bytes are transferred. */
  encode(tasks: Uint8Array): Promise<Encoded | undefined> {
    const port = this.#port;
    if (port === undefined || this.#encoder === undefined) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      port.send({ id, tasks });
    });
  }

  /** Encodes the texts of a call. While the encoder is loading, a search does not wait: it is a keyword search. */
  async encodingsFor(core: Core, tool: string, args: string): Promise<Uint8Array> {
    return this.#encodingsOf(() => core.texts(tool, args));
  }

  /** Encodes the texts of a hook. */
  async encodingsForHook(core: Core, hook: string, input: string): Promise<Uint8Array> {
    return this.#encodingsOf(() => core.hook_texts(hook, input));
  }

  /** Waits until an encoder is ready or it is certain that none will be. */
  whenLoadingEnded(): Promise<void> {
    if (this.#encoder !== undefined || this.#isGivenUp) return Promise.resolve();
    return new Promise((resolve) => this.#loadWaiters.push(resolve));
  }

  async #encodingsOf(texts: () => Uint8Array): Promise<Uint8Array> {
    if (this.#encoder === undefined) return NO_ENCODINGS;
    const tasks = texts();
    if (tasks.length === 0) return NO_ENCODINGS;
    return (await this.encode(tasks))?.encodings ?? NO_ENCODINGS;
  }

  #receive(message: FromEncoderPort): void {
    if (message.type === 'ready') {
      this.#encoder = message.name;
      this.#endLoading();
      this.onready();
      return;
    }
    this.#waiting.get(message.id)?.({ encodings: message.encodings, encoder: this.#encoder ?? '' });
    this.#waiting.delete(message.id);
  }

  #endLoading(): void {
    for (const resolve of this.#loadWaiters) resolve();
    this.#loadWaiters = [];
  }
}
