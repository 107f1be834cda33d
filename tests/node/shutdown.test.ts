import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { stdioListener } from '../../node/src/shutdown.ts';
import { entities } from './support/client.ts';
import { inspect } from './support/inspect.ts';
import { temporaryFolder } from './support/places.ts';
import { type RawServer, start } from './support/raw.ts';

const WRITES = 200;

/** The names whose creation was acknowledged. */
function acknowledged(server: RawServer): string[] {
  return server.messages
    .filter(
      (message) => typeof message.id === 'number' && message.result !== undefined && message.result['isError'] !== true,
    )
    .map((message) => `entity ${message.id}`);
}

async function isWhole(db: string, server: RawServer): Promise<string[]> {
  const { integrity, names } = await inspect(db);
  assert.equal(integrity, 'ok');
  const missing = acknowledged(server).filter((name) => !names.includes(name));
  assert.deepEqual(missing, [], 'every acknowledged write is in the file');
  return names;
}

test('at the end of the input all sent calls are run and answered', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = start(t, ['--db', db, '--test-encoder']);
  void server.initialize();
  for (let i = 0; i < WRITES; i++) server.call(i, 'create_entities', entities(`entity ${i}`));
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
  assert.equal(acknowledged(server).length, WRITES);
  assert.equal((await isWhole(db, server)).length, WRITES);
  assert.deepEqual(server.strayLines, []);
});

test('at the end of the input a resource is read, for which the core is asked twice', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  void server.initialize();
  server.request(1, 'resources/read', { uri: 'memory://stats' });
  server.call(2, 'list_domains', {});
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
  for (const id of [1, 2]) assert.ok(server.messages.some((message) => message.id === id && 'result' in message));
});

for (const reader of ['slow', 'gone'] as const) {
  test(`little output for a reader that is ${reader} is waited for`, { timeout: 60_000 }, async () => {
    let accept: (error?: Error) => void = () => {};
    const output = new Writable({
      write(_chunk, _encoding, done) {
        accept = done;
      },
    });
    output.on('error', () => {});
    output.write('an answer');
    output.write('another, which is less than the stream likes to hold');
    let isDrained = false;
    const listener = stdioListener(
      { stop: () => {} },
      (text, done) => output.write(text, () => done()),
      async () => {},
    );
    const drained = listener.drained().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isDrained, false);
    if (reader === 'gone') accept(new Error('EPIPE'));
    while (!isDrained && !output.destroyed) {
      accept();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await drained;
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} amid writes loses nothing that was acknowledged`, {
    skip: process.platform === 'win32',
  }, async (t) => {
    const db = join(temporaryFolder(), 'memory.db');
    const server = start(t, ['--db', db, '--test-encoder']);
    await server.initialize();
    for (let i = 0; i < WRITES; i++) server.call(i, 'create_entities', entities(`entity ${i}`));
    await server.answer(20);
    server.process.kill(signal);
    assert.equal(await server.ended(), 0);
    const names = await isWhole(db, server);
    assert.equal(names.length, acknowledged(server).length, 'what was not acknowledged was not done');
    const others = server.messages.filter(({ id, result }) => typeof id === 'number' && result?.['isError'] === true);
    assert.ok(others.every((message) => JSON.stringify(message).includes('shutting down')));
    const unread = server.messages.filter(({ id, error }) => typeof id === 'number' && error !== undefined);
    assert.equal(names.length + others.length + unread.length, WRITES, 'every call that was read has an answer');
    assert.deepEqual(server.strayLines, []);
  });
}

test('a request that arrives while the server stops is refused, and an accepted one is answered', {
  skip: process.platform === 'win32',
}, async (t) => {
  // The running call keeps the server from ending at once.
  const env = { LIMBIC_TEST_HANG: 'open_nodes', LIMBIC_TEST_LIMIT: '1500' };
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], env);
  await server.initialize();
  server.call(1, 'read_graph', {});
  await server.answer(1);
  server.call(2, 'open_nodes', { names: ['Ada'] });
  server.request(3, 'ping');
  await server.answer(3);
  server.process.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 300));
  server.request(5, 'ping');
  server.call(6, 'create_entities', entities('Ada'));
  for (const id of [5, 6]) {
    const { error } = await server.answer(id);
    assert.equal(error?.code, -32_000);
    assert.match(error.message, /shutting down/);
  }
  assert.ok((await server.answer(2)).result);
  assert.equal(await server.ended(), 0);
});

/** A module that a process loads first: timers never fire, so that what waits for one waits forever. */
const WITHOUT_TIMERS = `
const timer = { unref: () => timer, ref: () => timer, hasRef: () => false };
globalThis.setTimeout = globalThis.setInterval = () => timer;
`;

for (const end of ['end of input', 'SIGTERM'] as const) {
  test(`at ${end} an idle server waits for no timer`, {
    skip: process.platform === 'win32' && end === 'SIGTERM',
    // For a server that never ends.
    timeout: 60_000,
  }, async (t) => {
    const folder = temporaryFolder();
    const stub = join(folder, 'without-timers.mjs');
    writeFileSync(stub, WITHOUT_TIMERS);
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(stub).href}` };
    const server = start(t, ['--db', join(folder, 'memory.db'), '--test-encoder'], env);
    await server.initialize();
    server.call(1, 'create_entities', entities('Ada'));
    assert.notEqual((await server.answer(1)).result?.['isError'], true);
    if (end === 'SIGTERM') server.process.kill(end);
    else server.process.stdin.end();
    assert.equal(await server.ended(), 0);
  });
}

test('a client that disconnects silently ends the server', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  await server.initialize();
  server.process.stdin.destroy();
  server.process.stdout.destroy();
  server.process.stderr.destroy();
  const [code] = await new Promise<[number | null]>((resolve) =>
    server.process.once('exit', (exit) => resolve([exit])),
  );
  assert.equal(code, 0);
});
