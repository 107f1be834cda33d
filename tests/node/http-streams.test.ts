/** Streams of a session on Node, which its client opens with GET, and the types of responses that it takes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { entities, eventually } from './support/client.ts';
import { type HttpServer, listening, MCP_HEADERS, somePage } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';

interface Stream {
  /** What has arrived. */
  text: string;
  hasEnded: boolean;
  end: () => void;
}

/** Opens the stream of a session whose client accepts these types; empty: without the header. */
async function stream(
  server: HttpServer,
  session: Record<string, string>,
  accept = 'text/event-stream',
): Promise<Stream> {
  const found: Stream = { text: '', hasEnded: false, end: () => {} };
  await new Promise<void>((resolve, reject) => {
    const { accept: _, ...others } = session;
    const headers = accept === '' ? others : { ...others, accept };
    const sent = httpRequest({ host: '127.0.0.1', port: server.port, path: '/mcp', headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(String(response.statusCode)));
      response.on('data', (piece: Buffer) => {
        found.text += piece.toString();
      });
      response.on('error', () => {});
      response.on('end', () => {
        found.hasEnded = true;
      });
      resolve();
    });
    sent.on('error', reject);
    sent.end();
    found.end = () => sent.destroy();
  });
  return found;
}

test('a session has several streams, and each notification is sent in one of them', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args);
  const session = await server.begin();
  const post = async (id: number, method: string, params: object): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const reply = await server.send('/mcp', { method: 'POST', headers: session, body });
    assert.equal(reply.status, 200, reply.body.toString());
  };
  const updates = (text: string): number => text.split('notifications/resources/updated').length - 1;
  await post(1, 'resources/subscribe', { uri: 'memory://knowledge-graph' });
  const [first, second] = [await stream(server, session), await stream(server, session)];
  const third = await stream(server, session);
  t.after(() => [first, second, third].forEach(({ end }) => end()));
  await post(2, 'tools/call', { name: 'create_entities', arguments: entities('Ada') });
  await eventually('the latest is told', () => updates(third.text) === 1);
  assert.deepEqual([updates(first.text), updates(second.text)], [0, 0]);
  // One that has ended is replaced by the latest of the others, and a stream that was not the latest may end.
  first.end();
  third.end();
  let calls = 3;
  await eventually('another one is told', async () => {
    await post(calls++, 'tools/call', { name: 'create_entities', arguments: entities(`Grace ${calls}`) });
    return updates(second.text) > 0;
  });
  // The earliest is ended for one beyond the limit.
  const more = await Promise.all(Array.from({ length: 16 }, () => stream(server, session)));
  t.after(() => more.forEach(({ end }) => end()));
  await eventually('the earliest has ended', () => second.hasEnded);
  assert.ok(more.every(({ hasEnded }) => !hasEnded));
});

test('all streams of a session end with it', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model']);
  const session = await server.begin();
  const streams = [await stream(server, session), await stream(server, session), await stream(server, session)];
  t.after(() => streams.forEach(({ end }) => end()));
  const { status } = await server.send('/mcp', { method: 'DELETE', headers: session });
  assert.equal(Math.floor(status / 100), 2);
  await eventually('all have ended', () => streams.every(({ hasEnded }) => hasEnded));
});

test('a stream is refused only to a client that does not take it', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model']);
  const session = await server.begin();
  for (const accept of ['', '*/*', 'Text/Event-Stream', 'text/*;q=0.5, application/json']) {
    const { end } = await stream(server, session, accept);
    end();
  }
  for (const accept of ['application/json', '*/*, text/event-stream;q=0']) {
    const refused = await server.send('/mcp', { headers: { ...session, accept } });
    assert.deepEqual([refused.status, refused.code], [406, 'not_acceptable'], accept);
  }
});

test('a client that takes JSON alone gets no response to a request that it has cancelled', async (t) => {
  const folder = temporaryFolder();
  const source = join(folder, 'long.jsonl');
  const entity = (_: unknown, i: number): string =>
    `{"type":"entity","name":"${i}","entityType":"x","observations":[]}\n`;
  writeFileSync(source, Array.from({ length: 100_000 }, entity).join(''));
  const server = await listening(t, ['--db', join(folder, 'memory.db'), '--http', '0', '--no-model']);
  const headers = { ...(await server.begin()), accept: 'application/json' };
  const post = (message: object) =>
    server.send('/mcp', { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const params = { name: 'migrate', arguments: { source_path: source } };
  let isAnswered = false;
  const imported = post({ id: 1, method: 'tools/call', params }).finally(() => {
    isAnswered = true;
  });
  // The import may not have begun when the first of them arrives.
  await eventually('the import is cancelled', async () => {
    await post({ method: 'notifications/cancelled', params: { requestId: 1 } });
    return isAnswered;
  });
  const { status, body, headers: answered } = await imported;
  assert.deepEqual([status, body.toString(), answered['content-type']], [202, '', undefined]);
});

test('a field of the client that is invalid leaves the other ones', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const base = { ...server.pass, ...MCP_HEADERS };
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  for (const [clientInfo, shown] of [
    [{ name: null, version: 7 }, ''],
    [{ name: { a: 1 } }, ''],
    [{ name: 'tester', title: 7 }, 'tester'],
  ] as const) {
    const params = { protocolVersion: '2025-06-18', capabilities: { roots: 7, extensions }, clientInfo };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const begun = await server.send('/mcp', { method: 'POST', headers: base, body });
    assert.equal(begun.status, 200, begun.body.toString());
    const headers = { ...base, 'mcp-session-id': String(begun.headers['mcp-session-id']) };
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const listed = await server.send('/mcp', { method: 'POST', headers, body: list });
    assert.match(listed.body.toString(), /"show_memory"/, 'the valid capability counts');
    const { sessions } = (await server.json('/api/sessions')) as { sessions: { client: string }[] };
    assert.deepEqual(
      sessions.map(({ client }) => client),
      [shown],
    );
    await server.send('/mcp', { method: 'DELETE', headers });
  }
});
