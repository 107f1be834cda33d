/** Numbers that a JavaScript number cannot hold: ids, progress tokens, arguments and answers keep them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isId, parseMessage, restored, standIn, textOfArguments } from '../../node/src/exact-json.ts';
import { eventually } from './support/client.ts';
import { listening } from './support/http.ts';
import { envelope, MODERN } from './support/modern.ts';
import { temporaryFolder } from './support/places.ts';
import { type RawServer, start } from './support/raw.ts';

/** Beyond the integers that a JavaScript number holds. */
const BIG = '9007199254740993';
const IDS = [BIG, `-${BIG}`, '1.0', '1e2', '1E+2', '-0', '100e-2', '12345678901234567890123', '7', '"7"', `"${BIG}"`];
const FRACTIONS = ['1.5', '15e-1', `${BIG}.5`];

type Fields = Record<string, Record<string, unknown>>;

test('ids are kept in their notation, and are integers or texts', () => {
  for (const id of [...IDS, ...FRACTIONS]) {
    const message = parseMessage(` {"jsonrpc" : "2.0", "id" : ${id} ,"method":"ping"}`) as Record<string, unknown>;
    assert.equal(restored(JSON.stringify(message)), `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.equal(isId(message['id']), !FRACTIONS.includes(id), id);
  }
  for (const id of [null, {}, [], true, undefined]) assert.equal(isId(id), false);
});

test('arguments are the text of the client', () => {
  const args = ` {"b": [1e400, "\\"}]", {"n":${BIG}}], "1": -0.10, "b2":"\\\\"}`.trim();
  for (const text of [
    `{"id":1,"params":{"name":"x","arguments":${args}}}`,
    `{"params":{"arguments":{"first":1},"arg\\u0075ments":${args},"_meta":{}},"id":"}{"}`,
    `\u{feff}{"params":{"arguments":{}},"params":{"a":[{"arguments":{}}],"arguments":\n${args} }}`,
  ]) {
    const { params } = parseMessage(text) as Fields;
    assert.equal(textOfArguments(params?.['arguments'] as object), args, text);
  }
  const completing = '{"params":{"context":{"arguments":{"a":1.0}},"arguments":[1.0]}}';
  const completed = parseMessage(completing) as { params: { context: { arguments: object } } };
  assert.equal(textOfArguments(completed.params.context.arguments), '{"a":1.0}');
  const [first, second] = parseMessage(`[3, {"id":${BIG},"params":{"arguments":{"a":1.0}}}]`) as [number, Fields];
  assert.equal(first, 3);
  assert.equal(textOfArguments(second['params']?.['arguments'] as object), '{"a":1.0}');
  assert.deepEqual(parseMessage('{"params":{"arguments":{"a":1}},"params":7}'), { params: 7 });
  assert.equal(textOfArguments({ a: 1 }), '{"a":1}');
});

test('texts with the notation of a number, and what looks like a stand-in, stay texts', () => {
  const message = { result: standIn('{"a":1.0}'), text: 'json 00 1.0', nested: ['"'] };
  assert.equal(restored(JSON.stringify(message)), '{"result":{"a":1.0},"text":"json 00 1.0","nested":["\\""]}');
  assert.throws(() => parseMessage('{"id":1'), SyntaxError);
});

test('deep and long arguments are kept', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const { params } = parseMessage(`{"params":{"arguments":{"a":${deep}}}}`) as Fields;
  assert.equal(textOfArguments(params?.['arguments'] as object), `{"a":${deep}}`);
});

/** The line with the answer to a request whose id has this notation. */
async function lineFor(server: RawServer, id: string): Promise<string> {
  const isIt = (line: string): boolean =>
    ['}', ',"error"', ',"result"'].some((next) => line.includes(`"id":${id}${next}`));
  await eventually(`the answer to ${id}`, () => server.lines.some(isIt));
  return server.lines.find(isIt) ?? '';
}

const METADATA = `{"big":${BIG},"list":[-${BIG},18446744073709551615]}`;

function storing(id: string, memory: string): string {
  const params = `{"name":"memory_store","arguments":{"id":"${memory}","content":"The boat sleeps","metadata":${METADATA}}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
}

test('a server on stdio returns ids and metadata as received', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  await server.initialize();
  for (const id of IDS) {
    server.line(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.ok((await lineFor(server, id)).includes('"result"'), id);
  }
  for (const id of FRACTIONS) {
    server.line(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.ok((await lineFor(server, 'null')).includes('"code":-32600'), id);
    server.lines.length = 0;
  }
  server.line(storing(BIG.replace('3', '5'), 'm'));
  server.line(
    `{"jsonrpc":"2.0","id":"get","method":"tools/call","params":{"name":"memory_get","arguments":{"ids":["m"]}}}`,
  );
  const line = await lineFor(server, '"get"');
  for (const number of [BIG, `-${BIG}`, '18446744073709551615']) assert.ok(line.includes(number), line);
  assert.deepEqual(server.strayLines, []);
});

test('a progress token and the id of a cancelled request are kept as received', async (t) => {
  const folder = temporaryFolder();
  const source = join(folder, 'long.jsonl');
  const entity = (_: unknown, i: number): string =>
    `{"type":"entity","name":"${i}","entityType":"x","observations":[]}\n`;
  writeFileSync(source, Array.from({ length: 100_000 }, entity).join(''));
  const server = start(t, ['--db', join(folder, 'memory.db'), '--no-model']);
  await server.initialize();
  const params = `{"name":"migrate","arguments":{"source_path":${JSON.stringify(source)}},"_meta":{"progressToken":${BIG}}}`;
  server.line(`{"jsonrpc":"2.0","id":${BIG},"method":"tools/call","params":${params}}`);
  await eventually('progress', () => server.lines.some((line) => line.includes(`"progressToken":${BIG},`)));
  server.line(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${BIG}}}`);
  await eventually('the end of the import', () => /The import was incomplete: it was cancelled/.test(server.stderr));
  server.call('after', 'read_graph', {});
  await server.answer('after');
  assert.ok(!server.lines.some((line) => line.includes(`"id":${BIG}`)));
});

test('a server over HTTP returns ids and metadata as received, with sessions and without', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--http', '0']);
  const headers = await server.begin();
  const post = async (body: string, more: Record<string, string> = {}): Promise<string> =>
    (await server.send('/mcp', { method: 'POST', headers: { ...headers, ...more }, body })).body.toString();
  for (const id of IDS) {
    const text = await post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.ok(text.includes(`"id":${id}}`) && text.includes('"result"'), text);
  }
  for (const id of FRACTIONS) {
    const text = await post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.ok(text.includes('"id":null,"error":{"code":-32600'), text);
  }
  await post(`\u{feff}${storing(BIG, 'm')}`);
  const get = '"name":"memory_get","arguments":{"ids":["m"]}';
  const stored = await post(`{"jsonrpc":"2.0","id":${BIG},"method":"tools/call","params":{${get}}}`);
  assert.ok(stored.includes(`"big":${BIG}`), stored);
  assert.ok(stored.includes('18446744073709551615'), stored);
  const { 'mcp-session-id': _, ...stateless } = headers;
  const modern = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'memory_get' };
  const meta = JSON.stringify(envelope());
  const reply = await server.send('/mcp', {
    method: 'POST',
    headers: { ...stateless, ...modern },
    body: `{"jsonrpc":"2.0","id":${BIG},"method":"tools/call","params":{${get},"_meta":${meta}}}`,
  });
  const text = reply.body.toString();
  assert.ok(text.includes(`"big":${BIG}`) && text.includes(`"id":${BIG}`), text);
  const refused = await server.send('/mcp', {
    method: 'POST',
    headers: { ...stateless, authorization: 'Bearer wrong' },
    body: `{"jsonrpc":"2.0","id":${BIG},"method":"ping"}`,
  });
  assert.ok(refused.body.toString().includes(`"id":${BIG}`), refused.body.toString());
});
