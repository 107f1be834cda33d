/** The encoder's worker: loads the model, then encodes what comes over the channels. */
import { Encoder, initSync } from 'limbic-pkg/encoder/limbic_encoder.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import type { EncodeRequest, FromEncoderPort } from 'limbic-shell/encoder-link.ts';
import type { EncoderSettings, FromEncoder, ToEncoder } from './messages.ts';
import { fetchCached } from './asset-cache.ts';
import { holdLivenessLock } from './worker-liveness.ts';

const ports: MessagePort[] = [];
let encoder: Encoder | undefined;
/** Whether an asset is from the cache. */
let isCached = false;

/** Minimum time between two progress messages. */
const MIN_PROGRESS_MILLIS = 100;

async function load(settings: EncoderSettings): Promise<void> {
  let doneBytes = 0;
  let toldMillis = 0;
  const note = (bytes: number): void => {
    doneBytes += bytes;
    if (performance.now() - toldMillis < MIN_PROGRESS_MILLIS) return;
    toldMillis = performance.now();
    post({ type: 'loading', doneBytes, totalBytes: Math.max(doneBytes, settings.totalBytes) });
  };
  const [wasm, model, tokenizer] = await Promise.all(
    [settings.wasm, settings.model, settings.tokenizer].map((url) => fetchBytes(url, settings.isAnew, note)),
  );
  if (wasm === undefined || model === undefined || tokenizer === undefined) return;
  initSync({ module: await WebAssembly.compile(wasm) });
  encoder = Encoder.load(model, tokenizer);
  post({ type: 'ready', name: encoder.name() });
  for (const port of ports) serve(port, encoder);
}

async function fetchBytes(
  url: string,
  isAnew: boolean,
  note: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const fetched = await fetchCached(url, isAnew);
  isCached ||= fetched.isCached;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = fetched.response.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    parts.push(part.value);
    note(part.value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function serve(port: MessagePort, ready: Encoder): void {
  port.onmessage = ({ data }: MessageEvent<EncodeRequest>) => {
    try {
      const encodings = new Uint8Array(ready.encode(data.tasks));
      port.postMessage({ type: 'encoded', id: data.id, encodings } satisfies FromEncoderPort, [encodings.buffer]);
    } catch (error) {
      // The module trapped: the page starts another worker.
      post({ type: 'unusable', reason: textOf(error), isFinal: false });
    }
  };
  port.postMessage({ type: 'ready', name: ready.name() } satisfies FromEncoderPort);
}

function post(message: FromEncoder): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<ToEncoder>) => {
  if (data.type === 'connect') {
    ports.push(data.port);
    if (encoder !== undefined) serve(data.port, encoder);
    return;
  }
  holdLivenessLock(data.settings.livenessLock, () => post({ type: 'alive' }));
  load(data.settings).catch((error: unknown) => {
    const failure = knownFailure(error);
    const isUnreachable = failure?.code === 'part_unreachable';
    post({
      type: 'unusable',
      reason: failure?.error ?? textOf(error),
      isFinal: failure !== undefined && !isUnreachable,
      assets: isUnreachable ? 'missing' : isCached ? 'cached' : 'fetched',
    });
  });
};
