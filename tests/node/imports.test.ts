import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from './support/client.ts';
import { temporaryFolder } from './support/places.ts';
import { type Message, start } from './support/raw.ts';

/** A number of entities that takes an import several steps. */
const MANY = 20_000;

/** A folder with a file of the reference server. */
function longImport(lines = MANY): { readonly db: string; readonly file: { readonly source_path: string } } {
  const folder = temporaryFolder();
  const file = join(folder, 'long.jsonl');
  const line = (_: unknown, number: number): string =>
    `{"type":"entity","name":"entity ${number}","entityType":"x","observations":[]}\n`;
  writeFileSync(file, Array.from({ length: lines }, line).join(''));
  return { db: join(folder, 'memory.db'), file: { source_path: file } };
}

function resultOf(message: Message): {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
} {
  return message.result as ReturnType<typeof resultOf>;
}

function textOf(message: Message): string {
  return resultOf(message).content[0]?.text ?? '';
}

/** A module that the server loads first: in place of a trap, the thread ends without a message. */
const DIES_SILENTLY = `
import { isMainThread } from 'node:worker_threads';
const { Instance } = WebAssembly;
function Dying(module, imports) {
  return { exports: { ...new Instance(module, imports).exports, core_trap: () => process.exit(1) } };
}
if (!isMainThread) WebAssembly.Instance = Dying;
`;

for (const failure of ['trap', 'death of the thread'] as const) {
  test(`a ${failure} between two steps of an import restarts it`, async (t) => {
    const { db, file } = longImport();
    const module = join(dirname(db), 'dies.mjs');
    writeFileSync(module, DIES_SILENTLY);
    const dies = { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` };
    const env = { LIMBIC_TEST_TRAP: 'open_nodes', ...(failure === 'trap' ? {} : dies) };
    const server = start(t, ['--db', db, '--no-model'], env);
    await server.initialize();
    server.call(1, 'migrate', file);
    server.call(2, 'open_nodes', { names: ['any'] });
    server.call(3, 'memory_list', {});
    assert.equal(resultOf(await server.answer(2)).isError, true);
    const imported = await server.answer(1);
    assert.equal((JSON.parse(textOf(imported)) as { entities_imported: number }).entities_imported, MANY);
    await server.answer(3);
    assert.equal(server.messages.filter(({ id }) => id === 1).length, 1);
  });
}

test('imports run one after the other, and a later call is answered before both', async (t) => {
  const { db, file } = longImport();
  const server = start(t, ['--db', db, '--no-model']);
  await server.initialize();
  server.call(1, 'migrate', file);
  server.call(2, 'migrate', file);
  server.call(3, 'memory_list', {});
  await server.answer(2);
  const answered = server.messages.map(({ id }) => id).filter((id) => typeof id === 'number');
  assert.deepEqual(answered, [3, 1, 2]);
});

test('a cancelled import notifies subscribers of what it has stored, logs it, and reports no more progress', async (t) => {
  const { db, file } = longImport(MANY * 5);
  const server = start(t, ['--db', db, '--no-model']);
  await server.initialize();
  server.request('subscribe', 'resources/subscribe', { uri: 'memory://stats' });
  await server.answer('subscribe');
  server.request(1, 'tools/call', { name: 'migrate', arguments: file, _meta: { progressToken: 'import' } });
  await server.first(({ method }) => method === 'notifications/progress');
  server.line('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await server.first(({ method }) => method === 'notifications/resources/updated');
  const stored = /The import was incomplete: it was cancelled\. What was stored before is kept \(.*\d/;
  await eventually('the log', () => stored.test(server.stderr));
  const reports = (): number => server.messages.filter(({ method }) => method === 'notifications/progress').length;
  const before = reports();
  server.call(2, 'memory_list', {});
  await server.answer(2);
  assert.equal(reports(), before);
  assert.ok(!server.messages.some(({ id }) => id === 1));
});

test('a stopped server ends an import between two steps and reports it', {
  skip: process.platform === 'win32',
}, async (t) => {
  // More than can be stored in the time allowed after a signal.
  const { db, file } = longImport(MANY * 20);
  const server = start(t, ['--db', db, '--no-model']);
  await server.initialize();
  server.call(1, 'migrate', file);
  server.call(2, 'memory_list', {});
  await server.answer(2);
  server.process.kill('SIGTERM');
  const { code } = JSON.parse(textOf(await server.answer(1))) as { code: string };
  assert.equal(code, 'import_interrupted');
  assert.equal(await server.ended(), 0);
});

test('a large file of numbers is refused in little memory', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = temporaryFolder();
  const source_path = join(folder, 'numbers.json');
  const numbers = 30_000_000;
  writeFileSync(source_path, `{"nodes": [${'1,'.repeat(numbers)}1]}`);
  const server = start(t, ['--db', join(folder, 'memory.db'), '--no-model']);
  await server.initialize();
  server.call(1, 'memory_list', {});
  await server.answer(1);
  const peakMegabytes = (): number => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const before = peakMegabytes();
  server.call(2, 'migrate', { source_path });
  assert.match(textOf(await server.answer(2)), /Unknown file format/);
  // Every number as a value of its own would take 32 bytes; the file has 60 MB.
  const peak = peakMegabytes();
  assert.ok(peak < 500, `${Math.round(peak)} MB`);
  assert.ok(peak - before < 200, `${Math.round(peak - before)} MB more`);
});

for (const how of ['time limit', 'trap'] as const) {
  test(`an import that ends in a later step by a ${how} says what it has stored`, async (t) => {
    const { db, file } = longImport();
    const env: Record<string, string> =
      how === 'trap'
        ? { LIMBIC_TEST_TRAP: 'later step' }
        : { LIMBIC_TEST_HANG: 'later step', LIMBIC_TEST_LIMIT: '10000' };
    const server = start(t, ['--db', db, '--no-model'], env);
    await server.initialize();
    server.call(1, 'migrate', file);
    const { code, error } = JSON.parse(textOf(await server.answer(1))) as { code: string; error: string };
    assert.equal(code, how === 'trap' ? 'internal' : 'timeout');
    const [, stored] =
      /The import was incomplete: .*What was stored before is kept \((.*)\): run it again/.exec(error) ?? [];
    assert.match(stored ?? '', /entities: [1-9]\d*/, error);
    server.call(2, 'read_graph', { limit: 1 });
    assert.ok(!resultOf(await server.answer(2)).isError);
  });
}
