/** A thread that extracts the facts of files for {@link ExtractionPrefetch}. */
import { workerData } from 'node:worker_threads';
import { type Extracted, type ExtractionSettings, type Round, SHARED } from './core/extraction-prefetch.ts';
import { Parsers } from './core/parsers.ts';

const { port, shared, extractsMore, ...files } = workerData as ExtractionSettings;
const parsers = new Parsers(files);

function extracted(path: string, content: Uint8Array): Uint8Array | undefined {
  try {
    return parsers.extract(path, content);
  } catch {
    // The core's thread tries again, and reports the failure.
    return undefined;
  }
}

port.on('message', ({ id, round, paths, contents, begun, more }: Round) => {
  const others = [...paths.keys()].filter((index) => !more.has(index));
  // First those that the core's thread waits for.
  for (const index of [...(extractsMore ? more : []), ...others]) {
    const path = paths[index] ?? '';
    // The core drops all steps before the last one.
    if (round + 1 < Atomics.load(shared, SHARED.round)) return;
    if (Atomics.compareExchange(begun, index, 0, 1) !== 0) continue;
    const facts = extracted(path, contents[index] ?? new Uint8Array());
    const message: Extracted = { id, index, facts };
    port.postMessage(message, facts === undefined ? [] : [facts.buffer as ArrayBuffer]);
    Atomics.add(shared, SHARED.sent, 1);
    Atomics.notify(shared, SHARED.sent);
  }
});
