import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connect, entities, eventually, namesOf } from './support/client.ts';
import { listening } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

/** A statement of few steps, each of which compares billions of bytes. */
const LONG_STATEMENT = `
  WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000)
  SELECT count(instr(printf('%.*c', 60000, 'a') || x, printf('%.*c', 30000, 'a') || 'b' || x)) FROM n`;

/** Within this time everybody is served; far more than the limit of a call in the test. */
const SERVED_MILLIS = 30_000;

test('a trapped core is replaced: the call fails, the others continue', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {
    LIMBIC_TEST_TRAP: 'open_nodes',
  });
  await server.initialize();
  server.call(1, 'create_entities', entities('before'));
  server.call(2, 'open_nodes', { names: ['before'] });
  server.call(3, 'create_entities', entities('after'));
  server.call(4, 'open_nodes', { names: ['after'] });
  server.call(5, 'read_graph', {});
  for (const id of [2, 4]) {
    const result = (await server.answer(id)).result as { isError: boolean; content: { text: string }[] };
    assert.equal(result.isError, true);
    assert.equal((JSON.parse(result.content[0]?.text ?? '') as { code: string }).code, 'internal');
  }
  const graph = (await server.answer(5)).result as { structuredContent: { entities: { name: string }[] } };
  assert.deepEqual(graph.structuredContent.entities.map((entity) => entity.name).sort(), ['after', 'before']);
  assert.deepEqual(server.strayLines, []);
});

test('after a trap a session continues in its domain', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model'], { LIMBIC_TEST_TRAP: 'open_nodes' });
  await session.ask('create_domain', { id: 'work' });
  await session.ask('select_domain', { id: 'work' });
  assert.equal(await session.refused('open_nodes', { names: ['any'] }), 'internal');
  assert.equal((await session.ask('list_domains'))['current'], 'work');
});

test('a trap during shutdown does not lose the later calls', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {
    LIMBIC_TEST_TRAP: 'open_nodes',
  });
  void server.initialize();
  server.call(1, 'open_nodes', { names: ['any'] });
  server.call(2, 'create_entities', entities('after'));
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
  assert.notEqual((await server.answer(2)).result?.['isError'], true);
});

test('a failing encoder is replaced, and its queue is processed', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--test-encoder'], { LIMBIC_TEST_ENCODER_CRASH: '1' });
  await session.ask('create_entities', entities('Ada', 'Grace'));
  await eventually('the queue is worked off', async () => {
    const found = await session.ask('search_semantic', { query: 'Ada' });
    return found['mode'] === 'hybrid' && found['pending_embeddings'] === 0;
  });
  assert.match(session.stderr, /the encoder failed and is restarted/);
  assert.deepEqual(await namesOf(session), ['Ada', 'Grace']);
});

test('a call that never ends is stopped, and the others are answered', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = start(t, ['--db', db, '--no-model'], { LIMBIC_TEST_HANG: 'open_nodes', LIMBIC_TEST_LIMIT: '4000' });
  await server.initialize();
  server.call(1, 'create_entities', entities('before'));
  server.call(2, 'open_nodes', { names: ['before'] });
  server.call(3, 'create_entities', entities('after'));
  server.call(4, 'read_graph', {});
  const stopped = (await server.answer(2)).result as { isError: boolean; content: { text: string }[] };
  assert.equal(stopped.isError, true);
  assert.equal((JSON.parse(stopped.content[0]?.text ?? '') as { code: string }).code, 'timeout');
  const graph = (await server.answer(4)).result as { structuredContent: { entities: { name: string }[] } };
  assert.deepEqual(graph.structuredContent.entities.map((entity) => entity.name).sort(), ['after', 'before']);
  assert.deepEqual(server.strayLines, []);
});

test('a long statement is stopped, and other clients and processes are served', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const args = ['--db', db, '--no-model', '--toolsets', 'memory,explorer'];
  const server = await listening(t, [...args, '--http', '0'], { LIMBIC_TEST_LIMIT: '4000' });
  const [first, second] = [await server.connect(t), await server.connect(t)];
  const other = await connect(t, args);
  await first.ask('memory_store', { content: 'before' });
  await other.ask('memory_list');
  let isAnswered = false;
  const stopped = first.refused('query_sql', { sql: LONG_STATEMENT }).finally(() => {
    isAnswered = true;
  });
  const waiting = second.ask('memory_store', { content: 'by the second client' });
  let written = 0;
  const within = performance.now() + SERVED_MILLIS;
  while (!isAnswered) {
    await other.ask('memory_store', { content: `by the other process, ${++written}` });
    assert.ok(performance.now() < within, 'the statement is stopped');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(await stopped, 'timeout');
  await waiting;
  const count = { sql: 'SELECT count(*) AS n FROM MEMORY_NODES' };
  for (const session of [first, second, other]) {
    assert.deepEqual((await session.ask('query_sql', count))['rows'], [[written + 2]]);
  }
});

test('the locks of a stopped call are broken where there are no named pipes', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--toolsets', 'memory,explorer'];
  // Without `mkfifo`, the system does not show whether a thread runs.
  const session = await connect(t, args, { PATH: temporaryFolder(), LIMBIC_TEST_LIMIT: '4000' });
  await session.ask('memory_store', { content: 'before' });
  const sql = `${LONG_STATEMENT}, (SELECT count(*) FROM MEMORY_NODES)`;
  assert.equal(await session.refused('query_sql', { sql }), 'timeout');
  await session.ask('memory_store', { content: 'after' });
  const count = await session.ask('query_sql', { sql: 'SELECT count(*) AS n FROM MEMORY_NODES' });
  assert.deepEqual(count['rows'], [[2]]);
});

test('a resource, a prompt and a completion that never end are stopped, and the calls after them are answered', async (t) => {
  const uri = 'memory://knowledge-graph';
  const requests = [
    [uri, 'resources/read', { uri }],
    ['recall-context', 'prompts/get', { name: 'recall-context', arguments: { topic: 'boats' } }],
    [
      'prompt:recall-context',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'recall-context' }, argument: { name: 'topic', value: 'b' } },
    ],
  ] as const;
  for (const [hanging, method, params] of requests) {
    const db = join(temporaryFolder(), 'memory.db');
    const env = { LIMBIC_TEST_HANG: hanging, LIMBIC_TEST_LIMIT: '3000' };
    const server = start(t, ['--db', db, '--no-model'], env);
    await server.initialize();
    server.line(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    server.call(2, 'read_graph', {});
    const { error } = await server.answer(1);
    assert.match(String(error?.message), /stopped at its time limit of 3 /, method);
    assert.notEqual((await server.answer(2)).result?.['isError'], true, method);
  }
});

test('background work that never ends is stopped, and the calls after it are answered', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const env = { LIMBIC_TEST_HANG: 'background', LIMBIC_TEST_LIMIT: '2000' };
  const server = start(t, ['--db', db, '--no-model'], env);
  await server.initialize();
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const [index, name] of names.entries()) {
    server.call(index + 1, 'create_entities', entities(name));
    await server.answer(index + 1);
  }
  server.call(names.length + 1, 'read_graph', {});
  const graph = (await server.answer(names.length + 1)).result as {
    structuredContent: { entities: { name: string }[] };
  };
  assert.deepEqual(graph.structuredContent.entities.map((entity) => entity.name).sort(), names);
  assert.match(server.stderr, /the core failed and is restarted: background work took too long/);
});

test('a cancelled call is stopped', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = start(t, ['--db', db, '--no-model'], { LIMBIC_TEST_HANG: 'open_nodes' });
  await server.initialize();
  server.call(1, 'create_entities', entities('before'));
  await server.answer(1);
  server.call(2, 'open_nodes', { names: ['before'] });
  server.call(3, 'read_graph', {});
  server.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }));
  assert.notEqual((await server.answer(3)).result?.['isError'], true);
});

test('a database that is never opened holds no call without limit', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = start(t, ['--db', db, '--no-model'], { LIMBIC_TEST_HANG: 'opening', LIMBIC_TEST_LIMIT: '1500' });
  await server.initialize();
  for (const id of [1, 2]) {
    server.call(id, 'read_graph', {});
    const { isError, content } = (await server.answer(id)).result as { isError: boolean; content: { text: string }[] };
    assert.equal(isError, true);
    const { code, error } = JSON.parse(content[0]?.text ?? '') as { code: string; error: string };
    assert.equal(code, 'timeout');
    assert.match(error, /was not opened within its time limit of 1.5 seconds/);
  }
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
});

test('a call that was cancelled while it waited is not run, by a replaced thread either', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const env = { LIMBIC_TEST_HANG: 'open_nodes', LIMBIC_TEST_LIMIT: '2000' };
  const server = start(t, ['--db', db, '--no-model'], env);
  const cancel = (requestId: number): void =>
    server.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
  void server.initialize();
  // Before the database is opened.
  server.call(1, 'create_entities', entities('early'));
  cancel(1);
  server.call(2, 'open_nodes', { names: ['early'] });
  server.call(3, 'create_entities', entities('waiting'));
  server.call(4, 'read_graph', {});
  cancel(3);
  const stopped = (await server.answer(2)).result as { content: { text: string }[] };
  assert.equal((JSON.parse(stopped.content[0]?.text ?? '') as { code: string }).code, 'timeout');
  const graph = (await server.answer(4)).result as { structuredContent: { entities: object[] } };
  assert.deepEqual(graph.structuredContent.entities, []);
  for (const id of [1, 3]) assert.ok(!server.messages.some((message) => message.id === id), `${id} has no answer`);
});

test('an idle core that has grown is replaced once, and the next call of the session is served', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model'], { LIMBIC_TEST_MEMORY: '1' });
  await session.ask('create_domain', { id: 'work' });
  await session.ask('select_domain', { id: 'work' });
  await session.ask('memory_store', { content: 'Boats sail at dawn' });
  await eventually('it is replaced', () => /restarted: it was idle with \d+ MiB of memory/.test(session.stderr));
  assert.equal((await session.ask('list_domains'))['current'], 'work');
  assert.equal(((await session.ask('memory_list'))['memories'] as unknown[]).length, 1);
  assert.doesNotMatch(session.stderr, /failed/);
});

/** A module that the server loads first: on SIGUSR2, its main thread is busy for longer than the limit of a call. */
const BUSY_ON_SIGNAL = `
import { isMainThread } from 'node:worker_threads';
const pause = new Int32Array(new SharedArrayBuffer(4));
if (isMainThread) process.on('SIGUSR2', () => Atomics.wait(pause, 0, 0, 6000));
`;

test('calls that were answered while the main thread was busy are not stopped, and run once', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = temporaryFolder();
  const module = join(folder, 'busy.mjs');
  writeFileSync(module, BUSY_ON_SIGNAL);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(module).href}`, LIMBIC_TEST_LIMIT: '4000' };
  const args = ['--db', join(folder, 'memory.db'), '--no-model', '--toolsets', 'memory,domain,explorer'];
  const server = start(t, args, env);
  await server.initialize();
  server.call(1, 'memory_store', { content: 'before' });
  await server.answer(1);
  const rows = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 400000)';
  server.call(2, 'query_sql', { sql: `${rows} SELECT count(*) FROM n` });
  server.call(3, 'create_domain', { id: 'work' });
  // The thread has begun with the query, and is not done.
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.process.kill('SIGUSR2');
  for (const id of [2, 3]) {
    const { result } = await server.answer(id);
    assert.notEqual(result?.['isError'], true, JSON.stringify(result));
  }
});

/** A module that the server loads first: opening the database traps. */
const TRAPS_ON_OPENING = `
import { isMainThread } from 'node:worker_threads';
const { Instance } = WebAssembly;
const core_open = () => {
  throw new WebAssembly.RuntimeError('unreachable');
};
function Trapping(module, imports) {
  return { exports: { ...new Instance(module, imports).exports, core_open } };
}
if (!isMainThread) WebAssembly.Instance = Trapping;
`;

test('a database whose opening traps is tried again by the next call only', async (t) => {
  const folder = temporaryFolder();
  const module = join(folder, 'traps.mjs');
  writeFileSync(module, TRAPS_ON_OPENING);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` };
  const server = start(t, ['--db', join(folder, 'memory.db'), '--no-model'], env);
  await server.initialize();
  for (const id of [1, 2]) {
    server.call(id, 'memory_list', {});
    const answer = await server.answer(id);
    assert.match(JSON.stringify(answer), /unreachable/);
  }
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
});
