import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, entities, eventually, namesOf, type Session, TEST_ENCODER } from './support/client.ts';
import { type HttpServer, listening, MCP_HEADERS, type Reply, somePage } from './support/http.ts';
import { inspect } from './support/inspect.ts';
import { temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

test('tools are listed and called over HTTP', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', ...TEST_ENCODER]);
  const session = await server.connect(t);
  assert.ok((await session.client.listTools()).tools.some((tool) => tool.name === 'search_semantic'));
  await session.ask('create_entities', entities('Ada', 'Grace'));
  assert.deepEqual(await namesOf(session), ['Ada', 'Grace']);
  assert.equal(await session.refused('open_node', {}), 'unknown_tool');
});

test('clients over HTTP and one on stdio share one memory at once', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', ...TEST_ENCODER]);
  const sessions = await Promise.all(['first', 'second', 'third'].map((name) => server.connect(t, name)));
  await server.raw.initialize();
  const writes = 30;
  const writeAll = async (session: Session, client: number): Promise<void> => {
    for (let i = 0; i < writes; i++) await session.ask('create_entities', entities(`client ${client} write ${i}`));
  };
  for (let i = 0; i < writes; i++) server.raw.call(i, 'create_entities', entities(`stdio write ${i}`));
  await Promise.all([...sessions.map(writeAll), server.raw.answer(writes - 1)]);
  for (const session of sessions) assert.equal((await namesOf(session)).length, (sessions.length + 1) * writes);
  assert.deepEqual(server.raw.strayLines, []);
});

test('each client has its own request ids, and its calls run in order', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', ...TEST_ENCODER]);
  const sessions = await Promise.all([server.connect(t), server.connect(t)]);
  // Both clients count their requests from 0, so equal ids are pending at once.
  const answers = await Promise.all(
    sessions.flatMap((session, client) =>
      Array.from({ length: 20 }, (_, i) => session.ask('create_entities', entities(`client ${client} call ${i}`))),
    ),
  );
  const created = answers.map((answer) => (answer['created'] as string[])[0]);
  assert.deepEqual(
    created,
    [0, 1].flatMap((client) => Array.from({ length: 20 }, (_, i) => `client ${client} call ${i}`)),
  );
});

test('each client works in its own domain and applies its own plans', async (t) => {
  const clock = String(Date.UTC(2026, 0, 1));
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model', '--test-clock', clock];
  const server = await listening(t, args);
  const [ada, bob] = await Promise.all([server.connect(t), server.connect(t)]);
  await ada.ask('create_domain', { id: 'work' });
  await ada.ask('select_domain', { id: 'work' });
  const current = async (session: Session): Promise<unknown> => (await session.ask('list_domains'))['current'];
  assert.deepEqual([await current(ada), await current(bob)], ['work', 'general']);
  assert.equal(await current(await server.connect(t)), 'general');
  await ada.ask('memory_store', { content: 'It is over', expires_at: '2026-01-01T00:00:20Z' });
  // Each call takes a second.
  for (let call = 0; call < 20; call++) await current(ada);
  const { plan_id } = await ada.ask('memory_maintain', { actions: ['expire'] });
  assert.match(await bob.refused('memory_maintain', { dry_run: false, plan_id }), /invalid_argument/);
  assert.equal((await ada.ask('memory_maintain', { dry_run: false, plan_id }))['applied'], true);
});

test("a subscriber is notified of another client's writes", async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--compat', 'server-memory', '--no-model'];
  const server = await listening(t, args);
  const [listener, writer] = await Promise.all([server.connect(t), server.connect(t)]);
  const received: string[] = [];
  listener.client.fallbackNotificationHandler = async (notification) => {
    received.push(notification.method);
  };
  await listener.client.subscribeResource({ uri: 'memory://knowledge-graph' });
  await writer.client.callTool({
    name: 'create_entities',
    arguments: { entities: [{ name: 'a', entityType: 't', observations: [] }] },
  });
  await eventually('the notice', () => received.includes('notifications/resources/updated'));
});

test('a notification for which a client has no stream is sent once it opens one', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model']);
  const headers = await server.begin();
  const post = (id: number, method: string, params: object) =>
    server.send('/mcp', { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) });
  const uri = 'memory://stats';
  assert.equal((await post(1, 'resources/subscribe', { uri })).status, 200);
  for (const [id, name] of ['Ada', 'Ben'].entries()) {
    await post(id + 2, 'tools/call', { name: 'create_entities', arguments: entities(name) });
  }
  for (const expected of [1, 0]) {
    const stop = new AbortController();
    let stream: Response | undefined;
    // The server may not have noticed the end of the stream before.
    await eventually('a stream', async () => {
      stream = await fetch(server.url('/mcp'), { headers, signal: stop.signal });
      return stream.ok;
    });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const piece of stream?.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
    };
    const reading = read().catch(() => {});
    if (expected > 0) await eventually('the notification', () => text.includes(uri));
    else await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(text.split('notifications/resources/updated').length - 1, expected, text);
    stop.abort();
    await reading;
  }
});

test('an unknown or ended session is rejected', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model']);
  const headers = { ...server.pass, ...MCP_HEADERS };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const post = async (session: Record<string, string>): Promise<number> =>
    (await server.send('/mcp', { method: 'POST', headers: { ...headers, ...session }, body: ping })).status;
  assert.equal(await post({}), 400);
  assert.equal(await post({ 'mcp-session-id': 'nobody' }), 404);
  const session = await server.begin();
  assert.equal(await post(session), 200);
  assert.equal((await server.send('/mcp', { method: 'DELETE', headers: session })).status, 200);
  assert.equal(await post(session), 404);
});

test('idle clients are closed for new ones', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const stays = await server.connect(t);
  await stays.ask('read_graph');
  for (let i = 0; i < 100; i++) await server.begin();
  await stays.ask('read_graph');
  const { sessions } = await server.json('/api/status');
  assert.ok(Number(sessions) <= 65, `${sessions} sessions are kept`);
});

test('the least recently used session is closed first', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model']);
  const ping = async (headers: Record<string, string>): Promise<number> =>
    (await server.send('/mcp', { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status;
  const busy = await server.begin();
  const silent = await server.begin();
  for (let i = 0; i < 62; i++) await server.begin();
  assert.equal(await ping(busy), 200);
  await server.begin();
  assert.deepEqual([await ping(busy), await ping(silent)], [200, 404]);
});

test('a long answer in transit arrives completely when the server is stopped', {
  skip: process.platform === 'win32',
}, async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model', '--compat', 'server-memory'];
  const server = await listening(t, args);
  const session = await server.connect(t);
  const long = 'x'.repeat(9000);
  const many = Array.from({ length: 400 }, (_, i) => ({
    name: `entity ${i}`,
    entityType: 'Test',
    observations: [`${i} ${long}`],
  }));
  await session.client.callTool({ name: 'create_entities', arguments: { entities: many } });
  const sent = httpRequest(server.url('/mcp'), { method: 'POST', headers: await server.begin() });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_graph', arguments: {} } }),
  );
  const [response] = await answered;
  await once(response, 'readable');
  server.raw.process.kill('SIGTERM');
  await eventually('nothing new is let in', () => isClosed(server));
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const [, data] = /^data: (.*)$/m.exec(Buffer.concat(pieces).toString()) ?? [];
  const { result } = JSON.parse(data ?? '') as { result: { structuredContent: { entities: unknown[] } } };
  assert.equal(result.structuredContent.entities.length, many.length);
  assert.equal(await server.raw.ended(), 0);
});

test('cancelling a call ends its stream', async (t) => {
  // --settle without the test encoder: a call waits until the model is loaded, so that there is time to cancel it.
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--settle']);
  const headers = await server.begin();
  const post = (message: Record<string, unknown>): Promise<Reply> =>
    server.send('/mcp', { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const call = post({ id: 7, method: 'tools/call', params: { name: 'read_graph', arguments: {} } });
  await post({ id: 8, method: 'ping' });
  await post({ method: 'notifications/cancelled', params: { requestId: 7 } });
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 10_000, undefined).unref());
  const reply = await Promise.race([call, late]);
  assert.ok(reply, 'its stream ends');
  assert.ok(!reply.body.includes('"result"'), reply.body.toString());
});

test('in a session, a read whose client has left is stopped, and a write is done', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args, { LIMBIC_TEST_HANG: 'open_nodes' });
  const [headers, other] = [await server.begin(), await server.connect(t)];
  const sent = [
    { name: 'open_nodes', arguments: { names: ['any'] } },
    { name: 'create_entities', arguments: entities('Ada') },
  ].map((params, id) => {
    const request = httpRequest(server.url('/mcp'), { method: 'POST', headers });
    request.on('error', () => {});
    request.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    return request;
  });
  // Sent later, so that the calls have arrived by then.
  await other.client.ping();
  for (const request of sent) request.destroy();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 20_000, undefined).unref());
  const graph = await Promise.race([other.ask('read_graph'), late]);
  assert.ok(graph, 'long before the time limit of the call');
  assert.deepEqual(
    (graph['entities'] as { name: string }[]).map(({ name }) => name),
    ['Ada'],
  );
});

test('an incomplete call is not run when the server is stopped', {
  skip: process.platform === 'win32',
}, async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--http', '0', '--no-model']);
  const headers = await server.begin();
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'create_entities', arguments: entities('Ada') },
  };
  const body = JSON.stringify(call);
  const sent = httpRequest(server.url('/mcp'), {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(body.slice(0, 20));
  await server.send('/mcp');
  server.raw.process.kill('SIGTERM');
  await eventually('nothing new is let in', () => isClosed(server));
  sent.end(body.slice(20));
  const [{ statusCode, headers: received }] = await answered;
  assert.deepEqual([statusCode, received.connection], [503, 'close']);
  assert.equal(await server.raw.ended(), 0);
  assert.deepEqual((await inspect(db)).names, []);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} answers pending requests and ends open streams`, {
    skip: process.platform === 'win32',
  }, async (t) => {
    const db = join(temporaryFolder(), 'memory.db');
    const server = await listening(t, ['--db', db, '--http', '0', ...TEST_ENCODER]);
    const session = await server.connect(t);
    const acknowledged: string[] = [];
    const writes = Array.from({ length: 100 }, async (_, i) => {
      const answer = await session.call('create_entities', entities(`entity ${i}`));
      if (!answer.isError) acknowledged.push(`entity ${i}`);
    });
    await Promise.any(writes);
    server.raw.process.kill(signal);
    await Promise.allSettled(writes);
    assert.equal(await server.raw.ended(), 0);
    const { integrity, names } = await inspect(db);
    assert.equal(integrity, 'ok');
    assert.deepEqual(
      acknowledged.filter((name) => !names.includes(name)),
      [],
    );
    assert.equal(names.length, acknowledged.length, 'what was not acknowledged was not done');
  });
}

test('the server exits with its client on stdio, but keeps serving HTTP without one', async (t) => {
  const folder = temporaryFolder();
  const started = await listening(t, ['--db', join(folder, 'one.db'), '--http', '0', '--no-model']);
  await started.raw.initialize();
  await started.connect(t);
  started.raw.process.stdin.end();
  assert.equal(await started.raw.ended(), 0);

  const alone = await listening(t, ['--db', join(folder, 'two.db'), '--http', '0', '--no-model']);
  alone.raw.process.stdin.end();
  const session = await alone.connect(t);
  await session.ask('create_entities', entities('Ada'));
  assert.deepEqual(await namesOf(session), ['Ada']);
});

test('a port in use is reported, and a client on stdio is served', async (t) => {
  const folder = temporaryFolder();
  const first = await listening(t, ['--db', join(folder, 'memory.db'), '--http', '0', '--no-model']);
  const args = ['--db', join(folder, 'memory.db'), '--no-model', '--http', String(first.port)];
  const session = await connect(t, args);
  assert.match(session.stderr, /the HTTP server could not be started: port \d+ is in use/);
  await session.ask('create_entities', entities('Ada'));
  assert.deepEqual(await namesOf(await first.connect(t)), ['Ada']);

  const nobody = start(t, args);
  nobody.process.stdin.end();
  assert.equal(await nobody.ended(), 1);
});

/** Whether a server that is stopping, and therefore still runs, accepts no connection. */
async function isClosed(server: HttpServer): Promise<boolean> {
  return server.send('/mcp').then(
    ({ status }) => status === 503,
    () => true,
  );
}
