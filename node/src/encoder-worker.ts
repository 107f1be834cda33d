/** The encoder's thread: loads the model, then encodes the texts that arrive over the channels. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Encoder, initSync } from 'limbic-pkg/encoder/limbic_encoder.js';
import type { EncodeRequest, FromEncoderPort } from 'limbic-shell/encoder-link.ts';
import { knownFailure } from 'limbic-shell/failure.ts';
import { readLarge } from './large-file.ts';
import type { EncoderSettings, FromEncoder, ToEncoder } from './messages.ts';
import { loadModel } from './model-folder.ts';

/** The part of WebAssembly's interface that is used here, which Node's types do not declare. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

const settings = workerData as EncoderSettings;

async function load(): Promise<Encoder> {
  // Asynchronously: a thread that compiles synchronously cannot be ended, and the process would wait for it.
  initSync({ module: await WebAssembly.compile(readLarge(settings.wasm)) });
  if (settings.modelDir === undefined) return Encoder.test();
  return loadModel(settings.modelDir, settings.modelDimensions);
}

function serve(encoder: Encoder): void {
  const name = encoder.name();
  const connect = (port: MessagePort): void => {
    port.on('message', ({ id, tasks }: EncodeRequest) => {
      if (settings.crashes) process.exit(1);
      // A trap is not caught: it ends the thread, and the main thread starts another.
      const encodings = encoder.encode(tasks);
      const answer: FromEncoderPort = { type: 'encoded', id, encodings };
      port.postMessage(answer, [encodings.buffer as ArrayBuffer]);
    });
    port.postMessage({ type: 'ready', name } satisfies FromEncoderPort);
  };
  parentPort?.on('message', (message: ToEncoder) => connect(message.port));
  post({ type: 'ready', name });
}

function post(message: FromEncoder): void {
  parentPort?.postMessage(message);
}

try {
  serve(await load());
} catch (error) {
  const failure = knownFailure(error);
  if (failure === undefined) throw error;
  post({ type: 'unusable', code: failure.code, reason: failure.error });
}
