/** Batches of JSON-RPC: protocol 2025-03-26 has them, other versions do not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Batches } from '../../node/src/batches.ts';
import { KeepingTransport } from '../../node/src/http/keeping-transport.ts';
import { eventually } from './support/client.ts';
import { INITIALIZE, listening, MCP_HEADERS } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';
import { type Message, start } from './support/raw.ts';

const WITH_BATCHES = '2025-03-26';
const INVALID_REQUEST = -32_600;

function initialize(version: string): string {
  return INITIALIZE.replace('2025-06-18', version);
}

function ping(id: string | number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
}

for (const version of [undefined, '2024-11-05', '2025-06-18', '2025-11-25']) {
  test(`a batch is refused on stdio: ${version ?? 'before the initialisation'}`, async (t) => {
    const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
    if (version !== undefined) {
      server.line(initialize(version));
      await server.answer(0);
    }
    server.line(`[${ping(1)}]`);
    assert.equal((await server.answer(null)).error?.code, INVALID_REQUEST);
    assert.ok(!server.messages.some(({ id }) => id === 1));
  });
}

test('a batch of 2025-03-26 on stdio has one line of responses', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  server.line(initialize(WITH_BATCHES));
  await server.answer(0);
  const call = { jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'read_graph', arguments: {} } };
  const again = initialize(WITH_BATCHES).replace('"id":0', '"id":"again"');
  const messages = [
    ping(1),
    JSON.stringify(call),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '7',
    again,
  ];
  server.line(`[${messages.join(',')}]`);
  await eventually('the responses', () => server.messages.some(Array.isArray));
  const responses = server.messages.find(Array.isArray) as unknown as Message[];
  const codes = responses.map(({ id, error }) => [id, error?.code] as const);
  const expected = [
    [1, undefined],
    ['call', undefined],
    ['again', INVALID_REQUEST],
    [null, INVALID_REQUEST],
  ];
  const byId = (pairs: readonly (readonly unknown[])[]): string[] => pairs.map((pair) => JSON.stringify(pair)).sort();
  assert.deepEqual(byId(codes), byId(expected));
  server.line('[]');
  assert.equal((await server.answer(null)).error?.code, INVALID_REQUEST);
  server.line('[{"jsonrpc":"2.0","method":"notifications/initialized"}]');
  server.request('last', 'ping');
  await server.answer('last');
  assert.equal(server.messages.filter(Array.isArray).length, 1);
  assert.deepEqual(server.strayLines, []);
});

test('a response that is none of a batch is not serialised for one', () => {
  let serialised = 0;
  const result = {
    toJSON: () => {
      serialised += 1;
      return {};
    },
  };
  const lines: string[] = [];
  const batches = new Batches((line) => lines.push(line));
  const response = (id: number) => ({ jsonrpc: '2.0', id, result }) as unknown as Parameters<Batches['take']>[0];
  assert.equal(batches.take(response(1)), false);
  assert.equal(serialised, 0);
  batches.receive(
    [{ jsonrpc: '2.0', id: 2, method: 'ping' }],
    () => undefined,
    () => {},
  );
  assert.equal(batches.take(response(2)), true);
  assert.equal(serialised, 1);
  assert.deepEqual(lines, ['[{"jsonrpc":"2.0","id":2,"result":{}}]']);
});

test('a batch is complete without the response to a cancelled request', () => {
  const lines: string[] = [];
  const batches = new Batches((line) => lines.push(line));
  const request = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
  batches.receive(
    [request(1), request(2), request(2)],
    () => undefined,
    () => {},
  );
  assert.equal(batches.take({ jsonrpc: '2.0', id: 3, result: {} }), false);
  assert.ok(batches.take({ jsonrpc: '2.0', id: 1, result: {} }));
  batches.cancelled(2);
  assert.deepEqual(lines, []);
  assert.ok(batches.take({ jsonrpc: '2.0', id: 2, result: {} }));
  const ids = (JSON.parse(lines[0] ?? '') as Message[]).map(({ id }) => id);
  assert.deepEqual(ids, [1, 2]);
  assert.equal(batches.take({ jsonrpc: '2.0', id: 2, result: {} }), false);
});

test('over HTTP, batches are served in 2025-03-26 and refused in other versions', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--http', '0']);
  const base = { ...server.pass, ...MCP_HEADERS };
  const post = (body: string, more: Record<string, string> = {}) =>
    server.send('/mcp', { method: 'POST', headers: { ...base, ...more }, body });
  const batch = `[${ping(1)},${ping(2)}]`;
  const codeOf = (text: string): number | undefined => (JSON.parse(text) as Message).error?.code;
  const early = await post(batch);
  assert.deepEqual([early.status, codeOf(early.body.toString())], [400, INVALID_REQUEST]);
  for (const version of ['2024-11-05', WITH_BATCHES, '2025-06-18', '2025-11-25']) {
    const begun = await post(initialize(version));
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) };
    const { status, body } = await post(batch, session);
    const text = body.toString();
    if (version === WITH_BATCHES) {
      assert.equal(status, 200, text);
      for (const id of [1, 2]) assert.ok(text.includes(`"id":${id}`), text);
      const empty = await post('[]', session);
      assert.deepEqual([empty.status, codeOf(empty.body.toString())], [400, INVALID_REQUEST]);
    } else assert.deepEqual([status, codeOf(text)], [400, INVALID_REQUEST], `${version}: ${text}`);
  }
});

test('over HTTP, a batch keeps its stream when one of its requests is cancelled', async () => {
  const transport = new KeepingTransport({ sessionIdGenerator: undefined });
  await transport.start();
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = `[${ping(1)},${ping(2)}]`;
  const response = await transport.handleRequest(
    new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }),
  );
  transport.closeSSEStream(1);
  await transport.send({ jsonrpc: '2.0', id: 2, result: {} });
  assert.match(await response.text(), /"id":2/);
});
