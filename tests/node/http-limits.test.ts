/** Quotas of a client over HTTP, and the request ids of errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { QueuedBytes } from '../../node/src/http/queued-bytes.ts';
import { eventually } from './support/client.ts';
import { type HttpServer, INITIALIZE, listening, MCP_HEADERS, somePage } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';

const MEGABYTE = 1024 * 1024;

function serve(t: Parameters<typeof listening>[0], ...args: string[]): Promise<HttpServer> {
  return listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model', ...args]);
}

/** Starts a request without ending it. */
function begin({ port, pass }: HttpServer, bytes: number): ClientRequest {
  const headers = { ...pass, ...MCP_HEADERS, 'transfer-encoding': 'chunked' };
  const sent = httpRequest({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers });
  sent.on('error', () => {});
  sent.write(Buffer.alloc(bytes, ' '));
  return sent;
}

async function reply(sent: ClientRequest): Promise<{ message: IncomingMessage; body: Record<string, unknown> }> {
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return { message, body: JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown> };
}

test('waiting requests have a limit of bytes, which answered ones release', async (t) => {
  const server = await serve(t);
  const headers = await server.begin();
  const waiting = [begin(server, 31 * MEGABYTE), begin(server, 31 * MEGABYTE)];
  t.after(() => waiting.forEach((sent) => sent.destroy()));
  await Promise.all(waiting.map((sent) => eventually('it is sent', () => sent.writableLength === 0)));
  const refused = begin(server, 31 * MEGABYTE);
  const { message, body } = await reply(refused);
  refused.destroy();
  const { data } = body['error'] as { data: { code: string } };
  assert.deepEqual([message.statusCode, data.code, message.headers['retry-after']], [429, 'too_many_bytes', '5']);
  // No byte is left, and yet a request can be cancelled.
  const last = begin(server, 2 * MEGABYTE);
  const status = async (text: string): Promise<number> =>
    (await server.send('/mcp', { method: 'POST', headers, body: text })).status;
  await eventually('the limit', async () => (await status('{"jsonrpc":"2.0","id":1,"method":"ping"}')) === 429);
  // One that is too long for a cancellation is read for its id only.
  const long = '{"jsonrpc":"2.0","id":5,"method":"ping"}'.padEnd(20_000, ' ');
  const unserved = await server.send('/mcp', { method: 'POST', headers, body: long });
  assert.deepEqual([unserved.status, (JSON.parse(unserved.body.toString()) as { id: unknown }).id], [429, 5]);
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}';
  assert.equal(await status(cancelled), 202);
  last.destroy();
  waiting.forEach((sent) => sent.destroy());
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'.padEnd(31 * MEGABYTE, ' ');
  await eventually('the bytes are given back', async () => {
    return (await server.send('/mcp', { method: 'POST', headers, body: ping })).status === 200;
  });
});

test('a client has a quota of sessions, and the error says when to retry', async (t) => {
  const server = await serve(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  for (let i = 0; i < 64; i++) {
    const headers = { ...(await server.begin()), accept: 'text/event-stream' };
    const stream = await fetch(server.url('/mcp'), { headers, signal: stop.signal });
    assert.equal(stream.status, 200);
    stream.text().catch(() => {});
  }
  const begin = (): ReturnType<HttpServer['send']> =>
    server.send('/mcp', { method: 'POST', headers: { ...server.pass, ...MCP_HEADERS }, body: INITIALIZE });
  const refused = await begin();
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '5']);
  const { id, error } = JSON.parse(refused.body.toString()) as { id: number; error: { data: { code: string } } };
  assert.deepEqual([id, error.data.code], [0, 'too_many_sessions']);
  stop.abort();
  await eventually('an idle session gives way', async () => (await begin()).status === 200);
});

test('clients that begin at the same time do not exceed the quota of sessions', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const headers = { ...server.pass, ...MCP_HEADERS };
  const begun = Array.from({ length: 100 }, () => server.send('/mcp', { method: 'POST', headers, body: INITIALIZE }));
  const statuses = (await Promise.all(begun)).map(({ status }) => status);
  assert.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 429),
    [],
  );
  const { sessions } = await server.json('/api/sessions');
  assert.equal((sessions as unknown[]).length, 64);
});

test('bytes are counted for each client and for all, and released once', () => {
  const queued = new QueuedBytes({ client: 10, all: 15, cancel: 0 });
  const [one, more, other] = [queued.reserve('one'), queued.reserve('one'), queued.reserve('other')];
  assert.deepEqual([one.take(6), more.take(5), more.take(4)], [true, false, true], 'the limit of a client');
  assert.deepEqual([other.take(6), other.take(5)], [false, true], 'the limit of all');
  one.release();
  one.release();
  assert.equal(one.take(1), false, 'an answered request takes no more');
  const next = queued.reserve('one');
  assert.deepEqual([next.take(7), next.take(6)], [false, true], 'the rest of the client is still counted');
  for (const reservation of [more, other, next]) reservation.release();
  assert.equal(queued.reserve('another').take(10), true);
});

test('a short message is read beyond a limit, and marked', () => {
  const queued = new QueuedBytes({ client: 10, all: 15, cancel: 4 });
  const [one, short] = [queued.reserve('one'), queued.reserve('one')];
  assert.deepEqual([one.take(10), one.isBeyond], [true, false]);
  assert.deepEqual([short.take(3), short.isBeyond, short.take(2)], [true, true, false]);
  for (const reservation of [one, short]) reservation.release();
  assert.equal(queued.reserve('one').take(10), true, 'its bytes were counted and released');
});

test('every error about a parsed request has its id', async (t) => {
  const server = await serve(t);
  const session = await server.begin();
  const headers = { ...server.pass, ...MCP_HEADERS };
  const call = (id: unknown): Record<string, unknown> => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  for (const [what, status, sent, body] of [
    ['no session', 400, headers, call(7)],
    ['an unknown session', 404, { ...headers, 'mcp-session-id': 'nobody' }, call('seven')],
    ['a version that there is not', 400, { ...session, 'mcp-protocol-version': '1999-01-01' }, call(8)],
    ['answers that are not accepted', 406, { ...session, accept: 'text/html' }, call('nine')],
    ['another type of body', 415, { ...session, 'content-type': 'text/plain' }, call(10)],
    ['a second initialize', 400, session, { ...(JSON.parse(INITIALIZE) as object), id: 11 }],
    ['a newer request without its envelope', 400, { ...headers, ...modern }, call(12)],
    ['a newer method that there is not', 404, { ...headers, ...modern, 'mcp-method': 'no/such' }, newer(13, 'no/such')],
  ] as const) {
    const { status: answered, body: text } = await server.send('/mcp', {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(body),
    });
    const { id, error } = JSON.parse(text.toString()) as { id: unknown; error: { message: string } };
    assert.deepEqual([what, answered, id], [what, status, (body as { id: unknown }).id], text.toString());
    assert.ok(error.message.length > 0);
  }
  const broken = await server.send('/mcp', { method: 'POST', headers: session, body: '{"id": 5,' });
  const { id } = JSON.parse(broken.body.toString()) as { id: unknown };
  assert.deepEqual([broken.status, id], [400, null], 'of a text that is no JSON no id is known');
});

/** A request of protocol 2026-07-28. */
function newer(id: unknown, method: string): Record<string, unknown> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: { _meta: meta } };
}
