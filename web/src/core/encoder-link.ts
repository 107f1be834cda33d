import type { EncodeRequest, FromEncoderPort } from './messages.ts';

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
  #nextId = 0;
  readonly #waiting = new Map<number, (encoded: Encoded | undefined) => void>();

  /** The name of the encoder that has loaded its model. */
  get name(): string | undefined {
    return this.#encoder;
  }

  /** Talks to this encoder from here on. */
  attach(port: MessagePort): void {
    this.drop();
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<FromEncoderPort>) => this.#receive(data);
  }

  /** The encoder is gone; what waits for it is answered with nothing. */
  drop(): void {
    this.#port?.close();
    this.#port = undefined;
    this.#encoder = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  /** Has tasks encoded. Gives nothing when no encoder is ready or it breaks on the way. */
  encode(tasks: Uint8Array): Promise<Encoded | undefined> {
    const port = this.#port;
    if (port === undefined || this.#encoder === undefined) return Promise.resolve(undefined);
    const id = this.#nextId++;
    const bytes = new Uint8Array(tasks);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      port.postMessage({ id, tasks: bytes } satisfies EncodeRequest, [bytes.buffer]);
    });
  }

  #receive(message: FromEncoderPort): void {
    if (message.type === 'ready') {
      this.#encoder = message.name;
      this.onready();
      return;
    }
    this.#waiting.get(message.id)?.({ encodings: message.encodings, encoder: this.#encoder ?? '' });
    this.#waiting.delete(message.id);
  }
}
