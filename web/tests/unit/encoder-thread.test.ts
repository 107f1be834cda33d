/** The encoder's worker is started again after a failure, with its assets fetched anew at most once. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromEncoder, ToEncoder } from '../../src/core/messages.ts';
import { EncoderThread } from '../../src/source/browser/encoder-thread.ts';
import type { EncoderStatus } from '../../src/source/source.ts';

type Start = Extract<ToEncoder, { readonly type: 'start' }>;
type Unusable = Extract<FromEncoder, { readonly type: 'unusable' }>;

const workers: FakeWorker[] = [];

class FakeWorker {
  onmessage: ((event: { data: FromEncoder }) => void) | null = null;
  onerror = null;
  isAnew = false;

  constructor() {
    workers.push(this);
  }

  postMessage(message: ToEncoder): void {
    if (message.type === 'start') this.isAnew = (message as Start).settings.isAnew;
  }

  terminate(): void {}
}

beforeEach(() => {
  workers.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  for (const bytes of ['ENCODER', 'MODEL', 'TOKENIZER']) vi.stubGlobal(`LIMBIC_${bytes}_BYTES`, 1);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Starts an encoder whose workers fail in this way, one after the other. Returns which of them fetched anew. */
function runs(...failures: readonly Omit<Unusable, 'type' | 'reason'>[]): {
  anew: boolean[];
  last: string | undefined;
} {
  let last: EncoderStatus | undefined;
  new EncoderThread(
    (status) => {
      last = status;
    },
    () => {},
  ).join(() => {});
  for (const [index, failure] of failures.entries()) {
    workers.at(-1)?.onmessage?.({ data: { type: 'unusable', reason: `failure ${index}`, ...failure } });
    vi.runAllTimers();
  }
  return { anew: workers.map(({ isAnew }) => isAnew), last: last?.state === 'failed' ? last.reason : last?.state };
}

const damaged = { isFinal: true, assets: 'cached' } as const;
const trapped = { isFinal: false, assets: 'cached' } as const;
const unfit = { isFinal: true, assets: 'fetched' } as const;
const missing = { isFinal: false, assets: 'missing' } as const;

it('replaces cached assets that cannot be loaded, and no others', () => {
  expect(runs(damaged).anew).toEqual([false, true]);
  workers.length = 0;
  expect(runs(unfit)).toEqual({ anew: [false], last: 'failure 0' });
});

it('replaces them once, also if they trap the module', () => {
  expect(runs(damaged, unfit)).toEqual({ anew: [false, true], last: 'failure 1' });
  workers.length = 0;
  const other = { isFinal: false, assets: 'fetched' } as const;
  expect(runs(trapped, other, trapped, trapped).anew).toEqual([false, true, false, false, false]);
});

it('tries again to replace them while they cannot be fetched', () => {
  expect(runs(damaged, missing, missing).anew).toEqual([false, true, true, true]);
});
