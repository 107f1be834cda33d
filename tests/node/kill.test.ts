import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, entities, eventually, namesOf, type Session, TEST_ENCODER } from './support/client.ts';
import { inspect } from './support/inspect.ts';
import { temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

const KILLS = 30;
/** A generous timeout for a busy machine; the benchmark measures the actual time. */
const NEXT_START_MILLIS = 15_000;

test('thirty kills at random moments lose no acknowledged write', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const server = start(t, ['--db', db, ...TEST_ENCODER]);
    void server.initialize().catch(() => {});
    for (let i = 0; i < 100; i++) server.call(i, 'create_entities', entities(`kill ${kill} entity ${i}`));
    await server.first((message) => message.id === 0, NEXT_START_MILLIS);
    // Kills at increasing delays, during the first writes and the work on the queue.
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 60));
    server.process.kill('SIGKILL');
    await server.ended();
    for (const { id, result } of server.messages) {
      if (typeof id !== 'number') continue;
      assert.notEqual(result?.['isError'], true, JSON.stringify(result));
      acknowledged.push(`kill ${kill} entity ${id}`);
    }
  }
  const last = await connect(t, ['--db', db, ...TEST_ENCODER]);
  const known = new Set(await namesOf(last));
  assert.deepEqual(
    acknowledged.filter((name) => !known.has(name)),
    [],
  );
  await last.leave();
  const { integrity, names } = await inspect(db);
  assert.equal(integrity, 'ok');
  assert.equal(names.length, known.size);
  assert.ok(acknowledged.length >= KILLS);
});

test('the embedding queue of a killed server is processed by the next', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const first = await connect(t, ['--db', db, '--no-model']);
  await first.ask('create_entities', entities(...Array.from({ length: 40 }, (_, i) => `entity ${i}`)));
  const waiting = await first.ask('search_semantic', { query: 'entity' });
  assert.equal(waiting['mode'], 'lexical');
  assert.ok(Number(waiting['pending_embeddings']) >= 40, 'what waits is reported');
  process.kill(first.pid, 'SIGKILL');

  const next = await connect(t, ['--db', db, ...TEST_ENCODER]);
  await eventually('the queue is worked off', async () => {
    const found = await next.ask('search_semantic', { query: 'entity' });
    return found['pending_embeddings'] === 0 && found['mode'] === 'hybrid';
  });
});

test('entries that another server adds to the embedding queue are found without a call', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const reader = await connect(t, ['--db', db, ...TEST_ENCODER]);
  await reader.ask('read_graph');
  const writer = await connect(t, ['--db', db, '--no-model']);
  await writer.ask('create_entities', entities('Ada'));
  await eventually('the other server encodes it', async () => {
    return (await writer.ask('search_semantic', { query: 'Ada' }))['pending_embeddings'] === 0;
  });
});

test('an index whose server is killed in the middle is continued by the next', async (t) => {
  const files = 3000;
  const root = temporaryFolder();
  mkdirSync(join(root, 'shop'));
  for (let i = 0; i < files; i++) writeFileSync(join(root, 'shop', `f${i}.py`), `def f${i}():\n    return f0()\n`);
  const code = ['--no-model', '--toolsets', 'code', '--code-root', root];
  const db = join(temporaryFolder(), 'memory.db');
  const status = (session: Session) => session.ask('get_index_status', { project_id: 'shop' });
  const first = await connect(t, ['--db', db, ...code]);
  await first.ask('index_project', { path: 'shop' });
  let before = await status(first);
  await eventually('some files are read', async () => {
    before = await status(first);
    return Number(before['indexed_files']) > 0;
  });
  process.kill(first.pid, 'SIGKILL');
  assert.equal(before['status'], 'indexing');
  assert.ok(Number(before['indexed_files']) < files, 'it was killed in the middle');

  const next = await connect(t, ['--db', db, ...code]);
  const after = await status(next);
  assert.ok(Number(after['indexed_files']) >= Number(before['indexed_files']), JSON.stringify(after));
  assert.equal(after['started_at'], before['started_at'], 'the sweep did not start again');
  // The lease of the killed server lasts ten seconds.
  await eventually('it is completed', async () => (await status(next))['status'] === 'completed', 60_000);
  const fresh = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), ...code]);
  await fresh.ask('index_project', { path: 'shop', wait: true });
  for (const [tool, args] of [
    ['list_projects', {}],
    ['search_symbols', { query: 'f29' }],
    ['search_code', { query: 'f2999', mode: 'words' }],
    ['symbol_graph', { symbol_id: 'shop:f0.py#f0', action: 'callers', limit: 1000 }],
  ] as const) {
    const [continued, full] = [await next.ask(tool, args), await fresh.ask(tool, args)];
    assert.deepEqual(withoutTimes(continued), withoutTimes(full), tool);
  }
});

/** An answer without when files were read, and how long ago they were compared with the disk. */
function withoutTimes(answer: unknown): unknown {
  const times = ['indexed_at', 'unchecked_seconds'];
  return JSON.parse(JSON.stringify(answer, (key, value: unknown) => (times.includes(key) ? undefined : value)));
}
