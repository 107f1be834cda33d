/** The threads that extract facts ahead of the core's thread. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessagePort } from 'node:worker_threads';
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { CodeModule } from 'limbic-shell/code-module.ts';
import { Database } from '../../node/src/core/database.ts';
import { ExtractionPrefetch, type Round } from '../../node/src/core/extraction-prefetch.ts';
import type { Parsers } from '../../node/src/core/parsers.ts';
import type { CoreSettings } from '../../node/src/messages.ts';
import { startThread } from '../../node/src/worker-thread.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const packaged = (name: string): string => join(PACKAGE, 'dist', name);
const WASM = packaged('limbic_code.wasm');
const WASM_MORE = packaged('limbic_code_more.wasm');

/** More than two steps of indexing: the files of a step are extracted during the one before. */
const FILES = 450;
/** Time within which another thread is expected to begin the files. */
const MAX_WAIT_MILLIS = 30_000;

/** Indexes a project of {@link FILES} files, of which `file` returns names and texts, in this thread. */
function indexed(file: (number: number) => readonly [string, string]) {
  const root = temporaryFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  for (let number = 0; number < FILES; number++) {
    const [name, text] = file(number);
    writeFileSync(join(project, name), text);
  }
  initSync({ module: readFileSync(packaged('limbic_core_bg.wasm')) });
  const settings = {
    db: join(root, 'memory.db'),
    acceptsSharedDisk: false,
    toolsets: ['code'],
    readOnly: false,
    code: { root, wasm: WASM, wasmMore: WASM_MORE, subwords: join(root, 'none') },
  };
  const database = new Database(settings as unknown as CoreSettings);
  const core = database.open();
  const args = JSON.stringify({ path: project, project_id: 'p' });
  const answer = core.call('index_project', args, new Uint8Array(0), undefined);
  assert.equal(answer.isError, false);
  answer.free();
  while (core.index_step()) {}
  return { database, core };
}

test('the facts of files that a step needs come from another thread', async (t) => {
  if (availableParallelism() < 2) return t.skip('on one core, one thread does both');
  const other = await CodeModule.load(readFileSync(WASM));
  let prefetched = 0;
  const { take } = ExtractionPrefetch.prototype;
  const asked = t.mock.method(
    ExtractionPrefetch.prototype,
    'take',
    function (this: ExtractionPrefetch, path: string, content: Uint8Array) {
      const facts = take.call(this, path, content);
      if (facts === undefined) return undefined;
      prefetched += 1;
      assert.deepEqual(Buffer.from(facts), Buffer.from(other.extract(path, content)), path);
      return facts;
    },
  );
  // The core's thread begins no file before another one has, which it does as soon as it has started.
  const { compareExchange } = Atomics;
  const until = performance.now() + MAX_WAIT_MILLIS;
  const begin = (begun: Int32Array, index: number, expected: number, value: number): number => {
    while (Atomics.load(begun, index) === expected && performance.now() < until)
      Atomics.wait(begun, index, expected, 1);
    return compareExchange(begun, index, expected, value);
  };
  t.mock.method(Atomics, 'compareExchange', begin as typeof compareExchange);
  const { database } = indexed((number) => [
    `f${number}.py`,
    `def f${number}(rows):\n    return f${number + 1}(rows)\n`,
  ]);
  assert.ok(asked.mock.callCount() > 0, 'the core asks for facts that were prepared');
  database.restCode();
  database.close();
  assert.ok(prefetched > 0, 'every file was extracted by the thread of the core');
});

test('of a large project, no file for the second module is extracted by the thread of the core', async (t) => {
  if (availableParallelism() < 2) return t.skip('on one core, one thread does both');
  const own: string[] = [];
  const { extract } = CodeModule.prototype;
  t.mock.method(CodeModule.prototype, 'extract', function (this: CodeModule, path: string, content: Uint8Array) {
    own.push(path);
    return extract.call(this, path, content);
  });
  const { database, core } = indexed((number) => {
    const text = `def f${number}(rows)\n  f${number + 1}(rows)\nend\n`;
    return number % 3 === 0 ? [`f${number}.py`, 'def f(): pass\n'] : [`f${number}.rb`, text];
  });
  const answer = core.call('search_symbols', '{"query": "f301"}', new Uint8Array(0), undefined);
  const found = JSON.parse(answer.takeText());
  answer.free();
  database.restCode();
  database.close();
  assert.equal(found.results[0]?.file_path, 'f301.rb');
  assert.deepEqual(
    own.filter((path) => path.endsWith('.rb')),
    [],
  );
});

test('while a thread extracts a file, the one that waits for it extracts the others, the last ones first', (t) => {
  const own: string[] = [];
  const parsers = {
    needsMore: () => false,
    extract: (path: string) => {
      own.push(path);
      return new Uint8Array(1);
    },
  } as unknown as Parsers;
  const prefetch = new ExtractionPrefetch(() => ({ wasm: WASM, wasmMore: WASM_MORE }), parsers);
  if (!prefetch.hasThreads) return t.skip('on one core, one thread does both');
  // The thread has begun the first file, and never sends its facts.
  t.mock.method(MessagePort.prototype, 'postMessage', ({ begun }: Partial<Round>) => {
    if (begun !== undefined) Atomics.store(begun, 0, 1);
  });
  const now = performance.now.bind(performance);
  let waited = 0;
  t.mock.method(performance, 'now', () => now() + waited * MAX_WAIT_MILLIS);
  t.mock.method(Atomics, 'wait', () => {
    waited += 1;
    assert.deepEqual(own, ['c.py', 'b.py']);
    return 'timed-out';
  });
  const content = Buffer.from('def f(): pass\n');
  const paths = ['a.py', 'b.py', 'c.py'];
  prefetch.prepare(
    paths,
    Uint32Array.from(paths, () => content.length),
    Buffer.concat(paths.map(() => content)),
  );
  assert.equal(prefetch.take('a.py', content), undefined);
  assert.equal(waited, 1);
});

test('a thread that does not answer holds up an index once', (t) => {
  if (availableParallelism() < 2) return t.skip('on one core, one thread does both');
  t.mock.method(MessagePort.prototype, 'postMessage', () => {});
  let waited = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + waited * MAX_WAIT_MILLIS);
  t.mock.method(Atomics, 'wait', () => {
    waited += 1;
    return 'timed-out';
  });
  const { database, core } = indexed((number) => [`f${number}.rb`, `def f${number}(rows)\nend\n`]);
  const answer = core.call('search_symbols', '{"query": "f401"}', new Uint8Array(0), undefined);
  const found = JSON.parse(answer.takeText());
  answer.free();
  database.restCode();
  database.close();
  assert.equal(found.results[0]?.file_path, 'f401.rb');
  assert.equal(waited, 1);
});

test('threads add no listeners to the standard error of their process, and print there', async (t) => {
  const names = process.stderr.eventNames();
  const counts = names.map((name) => process.stderr.listenerCount(name));
  const printed: string[] = [];
  const write = t.mock.method(process.stderr, 'write', (piece: Uint8Array) =>
    printed.push(Buffer.from(piece).toString()),
  );
  const module = `data:text/javascript,console.log('out');console.error('err')`;
  const threads = Array.from({ length: 3 }, () => startThread(module, undefined));
  const added = [...new Set([...names, ...process.stderr.eventNames()])].filter(
    (name) => process.stderr.listenerCount(name) !== (counts[names.indexOf(name)] ?? 0),
  );
  await Promise.all(threads.flatMap(({ stdout, stderr }) => [once(stdout, 'end'), once(stderr, 'end')]));
  write.mock.restore();
  assert.deepEqual(added, []);
  assert.deepEqual(printed.sort(), ['err\n', 'err\n', 'err\n', 'out\n', 'out\n', 'out\n']);
});
