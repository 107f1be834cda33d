import encoderWasm from 'limbic-pkg/encoder/limbic_encoder_bg.wasm?url';
import model from 'limbic-pkg/model/model.onnx?url';
import tokenizer from 'limbic-pkg/model/tokenizer.json?url';
import type { EncoderSettings, FromEncoder, ToEncoder } from '../../core/messages.ts';
import type { EncoderStatus } from '../source.ts';

const TRIES_MAX = 5;
const FIRST_PAUSE_MILLIS = 500;

/** The encoder worker as the page sees it: started when the core is up, replaced when it breaks, given up in the end. */
export class EncoderThread {
  readonly #settings: EncoderSettings;
  readonly #onstatus: (status: EncoderStatus) => void;
  #worker: Worker | undefined;
  #tries = 0;
  #connect: (port: MessagePort | undefined) => void = () => {};

  constructor(onstatus: (status: EncoderStatus) => void) {
    this.#onstatus = onstatus;
    const totalBytes = LIMBIC_ENCODER_BYTES + LIMBIC_MODEL_BYTES + LIMBIC_TOKENIZER_BYTES;
    const url = (part: string): string => new URL(part, document.baseURI).href;
    this.#settings = { wasm: url(encoderWasm), model: url(model), tokenizer: url(tokenizer), totalBytes };
  }

  /** Works for this core worker, by way of `connect`, from here on. */
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
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromEncoder>) => {
      if (data.type === 'loading') this.#onstatus({ ...data, state: 'loading' });
      else if (data.type === 'ready') this.#onstatus({ state: 'ready', name: data.name });
      else this.#replace(data.reason, data.isFinal);
    };
    worker.onerror = (event) => this.#replace(event.message, false);
    worker.postMessage({ type: 'start', settings: this.#settings } satisfies ToEncoder);
    this.#offer(worker);
  }

  #replace(reason: string, isFinal: boolean): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#connect(undefined);
    this.#onstatus({ state: 'failed', reason });
    if (isFinal || this.#tries >= TRIES_MAX) return;
    setTimeout(() => this.#start(), FIRST_PAUSE_MILLIS * 2 ** (this.#tries - 1));
  }

  #offer(worker: Worker): void {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ type: 'connect', port: port1 } satisfies ToEncoder, [port1]);
    this.#connect(port2);
  }
}
