/** A thread that extracts the facts of files for {@link ExtractionPrefetch}. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
  type Extracted,
  type ExtractionSettings,
  extractedBy,
  type Round,
  SHARED,
} from './core/extraction-prefetch.ts';
import { Parsers } from './core/parsers.ts';

const { port, urgent, shared, extractsMore, ...files } = workerData as ExtractionSettings;
const parsers = new Parsers(files);

function extractFile({ id, paths, contents, begun }: Round, index: number): void {
  if (Atomics.compareExchange(begun, index, 0, 1) !== 0) return;
  const facts = extractedBy(parsers, paths[index] ?? '', contents[index] ?? new Uint8Array());
  const message: Extracted = { id, index, facts };
  port.postMessage(message, facts === undefined ? [] : [facts.buffer as ArrayBuffer]);
  Atomics.add(shared, SHARED.sent, 1);
  Atomics.notify(shared, SHARED.sent);
}

function extractUrgent(): void {
  for (;;) {
    const received = receiveMessageOnPort(urgent) as { readonly message: Round } | undefined;
    if (received === undefined) return;
    extractFile(received.message, 0);
  }
}

urgent.on('message', (round: Round) => extractFile(round, 0));
port.on('message', (round: Round) => {
  const { paths, more } = round;
  const others = [...paths.keys()].filter((index) => !more.has(index));
  // First those that the core's thread waits for.
  for (const index of [...(extractsMore ? more : []), ...others]) {
    extractUrgent();
    // The core drops all steps before the last one.
    if (round.round + 1 < Atomics.load(shared, SHARED.round)) return;
    extractFile(round, index);
  }
});
