import { expect, it } from 'vitest';
import { WatchedWorker } from '../../src/source/browser/watched-worker.ts';

/** A watched worker, and what it has reported. */
function watched() {
  const worker = { onmessage: null, onerror: null as ((event: object) => void) | null, terminate: () => {} };
  const reported: unknown[] = [];
  const watching = new WatchedWorker(worker as unknown as Worker, {
    onmessage: () => {},
    onended: () => {},
    onerror: (reason) => reported.push(reason),
    onunloadable: ({ code }) => reported.push({ code }),
  });
  return { worker, reported, watching };
}

it('an uncaught error of a worker is reported with its message', () => {
  const { worker, reported } = watched();
  worker.onerror?.({ message: 'out of memory' });
  expect(reported).toEqual(['out of memory']);
});

it('a worker whose script cannot be loaded is reported as such: its error has no message', () => {
  for (const event of [{}, { message: '' }]) {
    const { worker, reported } = watched();
    worker.onerror?.(event);
    expect(reported).toEqual([{ code: 'part_unreachable' }]);
  }
});

it('a worker that was ended on purpose reports nothing', () => {
  const { worker, reported, watching } = watched();
  watching.terminate();
  worker.onerror?.({});
  expect(reported).toEqual([]);
});
