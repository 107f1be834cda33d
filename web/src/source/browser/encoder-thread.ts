import encoderWasm from 'limbic-pkg/encoder/limbic_encoder_bg.wasm?url';
import model from 'limbic-pkg/model/model.onnx?url';
import tokenizer from 'limbic-pkg/model/tokenizer.json?url';
import type { EncoderSettings, FromEncoder, ToEncoder } from '../../core/messages.ts';
import type { EncoderStatus } from '../source.ts';
import { WatchedWorker } from './watched-worker.ts';

const MAX_TRIES = 5;
const FIRST_PAUSE_MILLIS = 500;
/** A worker that ran this long resets the count of tries. */
const HEALTHY_MILLIS = 60_000;

type Unusable = Extract<FromEncoder, { readonly type: 'unusable' }>;
type EncoderWorker = WatchedWorker<ToEncoder, FromEncoder>;

/**
 * The page's interface to the encoder worker: started when the core is ready, replaced when it breaks, up to
 * `MAX_TRIES` times.
 */
export class EncoderThread {
  readonly #settings: Omit<EncoderSettings, 'livenessLock' | 'isAnew'>;
  readonly #onstatus: (status: EncoderStatus) => void;
  readonly #onended: () => void;
  #worker: EncoderWorker | undefined;
  #readyMillis = Number.POSITIVE_INFINITY;
  #tries = 0;
  /** Whether cached assets, which may be damaged, are to be replaced; that is done once. */
  #replacement: 'none' | 'due' | 'done' = 'none';
  #connect: (port: MessagePort | undefined) => void = () => {};

  /** @param onended the browser has ended the worker; another one is being started. */
  constructor(onstatus: (status: EncoderStatus) => void, onended: () => void) {
    this.#onstatus = onstatus;
    this.#onended = onended;
    const totalBytes = LIMBIC_ENCODER_BYTES + LIMBIC_MODEL_BYTES + LIMBIC_TOKENIZER_BYTES;
    const url = (part: string): string => new URL(part, document.baseURI).href;
    this.#settings = { wasm: url(encoderWasm), model: url(model), tokenizer: url(tokenizer), totalBytes };
  }

  /** Connects the encoder to a core worker through `connect`. */
  join(connect: (port: MessagePort | undefined) => void): void {
    this.#connect = connect;
    if (this.#worker === undefined) this.#start();
    else this.#offer(this.#worker);
  }

  #start(): void {
    this.#tries += 1;
    const worker = new Worker(new URL('../../core/encoder-worker.ts', import.meta.url), {
      type: 'module',
      name: 'encoder',
    });
    const watched: EncoderWorker = new WatchedWorker(worker, {
      onmessage: (message) => this.#receive(message),
      onerror: (reason) => this.#replace(reason, false),
      onunloadable: ({ error }) => this.#replace(error, false),
      onended: () => {
        if (this.#replace('The browser ended it.', false)) this.#onended();
      },
    });
    this.#worker = watched;
    this.#readyMillis = Number.POSITIVE_INFINITY;
    watched.post({
      type: 'start',
      settings: { ...this.#settings, isAnew: this.#replacement === 'due', livenessLock: watched.livenessLock },
    });
    this.#offer(watched);
  }

  #receive(message: FromEncoder): void {
    switch (message.type) {
      case 'alive':
        break;
      case 'loading':
        this.#onstatus({ ...message, state: 'loading' });
        break;
      case 'ready':
        this.#readyMillis = performance.now();
        this.#replacement = 'done';
        this.#onstatus({ state: 'ready', name: message.name });
        break;
      case 'unusable':
        this.#noteAssets(message.assets);
        this.#replace(message.reason, message.isFinal && this.#replacement !== 'due');
        break;
    }
  }

  /** Decides whether the next worker replaces cached assets. @param assets those that could not be loaded. */
  #noteAssets(assets: Unusable['assets']): void {
    if (assets === 'cached' && this.#replacement === 'none') this.#replacement = 'due';
    else if (assets === 'fetched') this.#replacement = 'done';
  }

  /** Replaces the worker. Returns whether another one is started. */
  #replace(reason: string, isFinal: boolean): boolean {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#connect(undefined);
    this.#onstatus({ state: 'failed', reason });
    if (performance.now() - this.#readyMillis > HEALTHY_MILLIS) this.#tries = 1;
    if (isFinal || this.#tries >= MAX_TRIES) return false;
    setTimeout(
      () => (this.#worker === undefined ? this.#start() : undefined),
      FIRST_PAUSE_MILLIS * 2 ** (this.#tries - 1),
    );
    return true;
  }

  #offer(worker: EncoderWorker): void {
    const { port1, port2 } = new MessageChannel();
    worker.post({ type: 'connect', port: port1 }, [port1]);
    this.#connect(port2);
  }
}
