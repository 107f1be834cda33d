import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, entities } from './support/client.ts';
import { temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

/** Lines with the id and the code of their answers. */
const LINES: readonly [line: string, id: string | number | null, code: number][] = [
  ['this is not JSON', null, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list"', null, -32700],
  ['\u0000', null, -32700],
  ['[]', null, -32600],
  ['"text"', null, -32600],
  ['null', null, -32600],
  ['[{"jsonrpc":"2.0","id":2,"method":"ping"}]', null, -32600],
  ['{"id":3,"method":"ping"}', 3, -32600],
  ['{"jsonrpc":"1.0","id":4,"method":"ping"}', 4, -32600],
  ['{"jsonrpc":"2.0","id":5,"method":7}', 5, -32600],
  ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', 6, -32600],
  ['{"jsonrpc":"2.0","id":7,"method":"no/such/method"}', 7, -32601],
  ['{"jsonrpc":"2.0","id":8,"method":"tools/call"}', 8, -32602],
  ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}', 9, -32602],
  ['{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"read_graph","arguments":[]}}', 10, -32602],
  ['{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"read_graph","arguments":null}}', 11, -32602],
];

test('an invalid line gets an error, and the next one is served', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  await server.initialize();
  for (const [index, [line, id, code]] of LINES.entries()) {
    const before = server.messages.length;
    server.line(line);
    const answer = await server.first((message) => server.messages.indexOf(message) >= before);
    assert.deepEqual([answer.id, answer.error?.code], [id, code], line);
    assert.ok(answer.error?.message);
    server.request(`ping ${index}`, 'ping');
    await server.answer(`ping ${index}`);
  }
  assert.deepEqual(server.strayLines, []);
});

test('messages may arrive in chunks, several at once, with empty lines and CRs between them', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  await server.initialize();
  const ping = (id: string): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
  const text = `${ping('é one')}\r\n\r\n\n${ping('two')}\n${ping('three')}\n`;
  for (const byte of Buffer.from(text)) server.process.stdin.write(Buffer.of(byte));
  for (const id of ['é one', 'two', 'three']) await server.answer(id);
});

test('a message of more than ten megabytes is served', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  const observations = Array.from({ length: 600 }, (_, i) => `${i} `.padEnd(10_000, 'é'));
  await session.ask('create_entities', { entities: [{ name: 'Long', entityType: 'Test', observations }] });
});

test('an unknown tool is a tool error, so that the model sees it', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  assert.equal(await session.refused('create_entitys', entities('Ada')), 'unknown_tool');
  assert.equal(await session.refused('create_entities', {}), 'invalid_argument');
  await session.ask('create_entities', entities('Ada'));
});

test('any name reaches the core unchanged', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--toolsets', 'graph,explorer']);
  await server.initialize();
  const names = [
    '"quoted"',
    "it's",
    'AND OR NOT NEAR(*)',
    '👩‍🚀',
    'e\u0301',
    '\u202Eright to left',
    '__proto__',
    'a\u2028b',
  ];
  server.call('good', 'create_entities', entities(...names));
  const good = (await server.answer('good')).result as { structuredContent: { created: string[] } };
  const shown = names.map((name) =>
    name.replace(/[\u202E\u2028]/gu, (letter) => `<U+${letter.charCodeAt(0).toString(16).toUpperCase()}>`),
  );
  assert.deepEqual(good.structuredContent.created, shown, 'what cannot be seen is written out');
  server.call('stored', 'explore_records', { kind: 'entities', sort: 'id' });
  const stored = (await server.answer('stored')).result as { structuredContent: { rows: { name: string }[] } };
  assert.deepEqual(
    stored.structuredContent.rows.map(({ name }) => name),
    names,
  );
  for (const name of ['a\u0000b', 'a\ud800b']) {
    server.call(name, 'create_entities', entities(name));
    const bad = (await server.first((message) => message.id === name && 'result' in message)).result;
    assert.equal(bad?.['isError'], true, JSON.stringify(bad));
  }
});
