import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ServerCall } from 'limbic-shell/server-call.ts';
import { connect, entities, eventually, TEST_ENCODER } from './support/client.ts';
import { listening, somePage } from './support/http.ts';
import { inspect } from './support/inspect.ts';
import { PROGRAMS, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';
import { POLICY } from '../../web/build/content-security-policy.ts';

const NOTICE_MILLIS = 1000;

test('the page is served with content types, a strict policy and caching of hashed names', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  assert.match(server.raw.stderr, new RegExp(`explorer: http://127\\.0\\.0\\.1:${server.port}/#token=TOKEN\n`));
  const served: readonly [path: string, type: string, cache: string][] = [
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/?utm=1', 'text/html; charset=utf-8', 'no-cache'],
    ['/manifest.webmanifest', 'application/manifest+json', 'no-cache'],
    ['/assets/index-DiwrgTda.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/core-B4xk_9-s.wasm', 'application/wasm', 'public, max-age=31536000, immutable'],
  ];
  for (const [path, type, cache] of served) {
    const { status, headers, body } = await server.send(path);
    assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, type, cache], path);
    assert.equal(headers['content-length'], String(body.length));
    assert.ok(headers['content-security-policy']);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    const again = await server.send(path, { headers: { 'if-none-match': String(headers.etag) } });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
    assert.equal((await server.send(path, { method: 'HEAD' })).body.length, 0);
  }
});

for (const program of PROGRAMS) {
  test(`${program}: the header has the policy that the page contains, and forbids frames`, async (t) => {
    const env = somePage();
    const folder = program === 'native' ? ['--ui-dir', String(env['LIMBIC_TEST_UI'])] : [];
    const args = ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model', ...folder];
    const { headers } = await (await listening(t, args, env, program)).send('/');
    assert.equal(headers['content-security-policy'], `${POLICY}; frame-ancestors 'none'`);
    assert.match(POLICY, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
    assert.doesNotMatch(POLICY, /unsafe-inline/);
  });
}

test("no path leads out of the page's folder", async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const paths = [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/%00',
    '/%',
    '/assets',
    '/assets/',
    '/index.html/',
    '/etc/passwd',
  ];
  for (const path of paths) {
    const reply = await server.send(path);
    assert.deepEqual([reply.status, reply.code], [404, 'not_found'], path);
  }
});

test('without a page, --ui says how to build it and serves a client on stdio', async (t) => {
  const env = { LIMBIC_TEST_UI: temporaryFolder() };
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'];
  const session = await connect(t, args, env);
  assert.match(session.stderr, /the explorer is not part of this build: run `cargo xtask build`/);
  await session.ask('create_entities', entities('Ada'));
  const nobody = start(t, args, env);
  nobody.process.stdin.end();
  assert.equal(await nobody.ended(), 1);
});

test('--http alone serves neither the page nor its API', async (t) => {
  const server = await listening(
    t,
    ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'],
    somePage(),
  );
  for (const path of ['/', '/index.html', '/api/status', '/api/events', '/mcp/explorer']) {
    assert.equal((await server.send(path, { headers: server.pass })).status, 404, path);
  }
});

test("the page is notified within a second of any client's write", async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', ...TEST_ENCODER], somePage());
  const other = await connect(t, ['--db', db, ...TEST_ENCODER]);
  await other.ask('read_graph');
  const session = await server.connect(t);
  await server.raw.initialize();
  const writers: readonly (() => Promise<unknown>)[] = [
    () => session.ask('create_entities', entities('over HTTP')),
    () => {
      server.raw.call('write', 'create_entities', entities('on stdio'));
      return server.raw.answer('write');
    },
    () => other.ask('create_entities', entities('by another process')),
  ];
  for (const [place, write] of writers.entries()) {
    const heard = await server.events(t);
    assert.equal(heard[0]?.['type'], 'hello');
    // The texts that the previous writer has queued are embedded.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    heard.length = 0;
    await write();
    await eventually(`writer ${place} is heard`, () => heard.some(({ type }) => type === 'changed'), NOTICE_MILLIS);
  }
});

test('as an option, port 0 selects a free one for the explorer; in a variable, it means no', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'];
  for (const [more, env] of [
    [['--ui', '0'], {}],
    [['--ui', '0'], { LIMBIC_UI: '0' }],
    [['--http', '0', '--ui=0'], {}],
  ] as const) {
    const server = await listening(t, [...args, ...more], { ...somePage(), ...env });
    assert.match(server.raw.stderr, /explorer: http/);
  }
  const server = await listening(t, [...args, '--http', '0'], { ...somePage(), LIMBIC_UI: '0' });
  assert.doesNotMatch(server.raw.stderr, /explorer: http/);
});

test('many changes are combined into few events', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const heard = await server.events(t);
  const session = await server.connect(t);
  const start = performance.now();
  await Promise.all(Array.from({ length: 100 }, (_, i) => session.ask('create_entities', entities(`entity ${i}`))));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const most = (performance.now() - start) / 200 + 2;
  const notices = heard.filter(({ type }) => type === 'changed').length;
  assert.ok(notices >= 1 && notices <= most, `${notices} notices`);
  const last = (sought: string): number => heard.findLastIndex(({ type }) => type === sought);
  assert.ok(last('changed') > last('call'), 'the last change is reported');
});

test('the calls of all clients are reported and stored', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const heard = await server.events(t);
  const { instance } = heard[0] ?? {};
  const first = await server.connect(t, 'agent one');
  const second = await server.connect(t, 'agent two');
  await server.raw.initialize();
  const long = 'x'.repeat(9000);
  await first.ask('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Test', observations: ['a', 'b', 'c'].map((c) => c + long) }],
  });
  await second.refused('open_nodes', {});
  server.raw.call('read', 'open_nodes', { names: ['Ada'] });
  await server.raw.answer('read');
  await eventually('three calls', () => heard.filter(({ type }) => type === 'call').length === 3);

  const { calls } = (await server.json('/api/calls')) as unknown as { calls: ServerCall[] };
  assert.deepEqual(
    calls,
    heard.filter(({ type }) => type === 'call').map(({ type, ...call }) => call),
  );
  assert.deepEqual(
    calls.map(({ id, client, tool, isError }) => [id, client, tool, isError]),
    [
      [1, 'agent one', 'create_entities', false],
      [2, 'agent two', 'open_nodes', true],
      [3, 'raw', 'open_nodes', false],
    ],
  );
  const [one, two, three] = calls;
  assert.ok(one && two && three);
  assert.deepEqual([one.arguments.length, three.answer.length, three.answer_chars > 16_000], [16_000, 16_000, true]);
  assert.ok(one.arguments_chars > 27_000);
  assert.deepEqual([two.arguments, two.arguments_chars], ['{}', 2]);
  assert.equal(JSON.parse(two.answer).code, 'invalid_argument');
  assert.deepEqual([one.session.length, three.session], [8, 'stdio']);
  assert.ok(one.session !== two.session);
  assert.ok(Math.abs(Date.parse(three.started) - Date.now()) < 60_000);
  assert.ok(calls.every(({ duration_ms: millis }) => millis > 0 && millis < 60_000));

  assert.deepEqual((await server.json('/api/calls?after=2'))['calls'], [three]);
  const status = await server.json('/api/status');
  assert.deepEqual([status['instance'], status['sessions'], status['read_only']], [instance, 3, false]);
  assert.equal(status['overwrites'], true, 'a deletion overwrites what the file held');
});

test('recorded calls contain no secret', async (t) => {
  const token = ['gh', 'p_16C7e42F292c6912E7710c838347Ae178B4a'].join('');
  const text = `deploy with ${token}`;
  const entities = { entities: [{ name: 'Ada', entityType: 'Test', observations: [text] }] };
  const calls = [
    [[], 'memory_store', { content: text, tags: ['deploy'] }, 'memory_recall', { query: text }],
    [['--compat', 'server-memory'], 'create_entities', entities, 'read_graph', {}],
  ] as const;
  for (const [options, tool, args, reading, readingArgs] of calls) {
    const db = join(temporaryFolder(), 'memory.db');
    const server = await listening(t, ['--db', db, '--ui', '--no-model', ...options], somePage());
    const heard = await server.events(t);
    const session = await server.connect(t);
    const answer = await session.call(tool, args);
    assert.equal(answer.isError, options.length === 0, answer.text);
    await session.call(reading, readingArgs);
    await eventually('both calls', () => heard.filter(({ type }) => type === 'call').length === 2);
    const stored = await server.json('/api/calls');
    for (const shown of [JSON.stringify(stored), JSON.stringify(heard)]) {
      assert.ok(!shown.includes(token), shown);
      assert.ok(shown.split('[withheld: ').length > 2 && shown.includes('[withheld: GitHub token]'), shown);
    }
    const [first] = stored['calls'] as ServerCall[];
    assert.equal(first?.arguments_chars, JSON.stringify(args).length);
    assert.equal(typeof JSON.parse(first?.arguments ?? ''), options.length === 0 ? 'string' : 'object');
  }
});

test('recorded calls contain no text that a stored subject makes a secret', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', '--no-model'], somePage());
  const heard = await server.events(t);
  const session = await server.connect(t);
  await session.call('memory_store', { id: 'a', content: 'See the vault', subject: 'database password' });
  const refused = await session.call('memory_update', { id: 'a', content: 'kestrel-99-Blue', reason: 'rotated' });
  assert.match(refused.text, /secret_refused/);
  const nested = { name: 'memory_update', arguments: { id: 'a', content: 'kestrel-99-Blue' } };
  assert.match((await session.call('more_tools', nested)).text, /secret_refused/);
  await eventually('all calls', () => heard.filter(({ type }) => type === 'call').length === 3);
  for (const shown of [JSON.stringify(await server.json('/api/calls')), JSON.stringify(heard)]) {
    assert.ok(!shown.includes('kestrel'), shown);
  }
});

test('the last five hundred calls are stored', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  await server.raw.initialize();
  for (let i = 0; i < 520; i++) server.raw.call(i, 'nothing', {});
  await server.raw.answer(519);
  const { calls } = (await server.json('/api/calls')) as unknown as { calls: ServerCall[] };
  assert.deepEqual([calls.length, calls[0]?.id, calls.at(-1)?.id], [500, 21, 520]);
});

test('the page stays connected while a trapped core is replaced, and is notified', async (t) => {
  const env = { ...somePage(), LIMBIC_TEST_TRAP: 'read_graph' };
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], env);
  const heard = await server.events(t);
  const session = await server.connect(t);
  assert.equal(await session.refused('read_graph'), 'internal');
  await eventually('a change', () => heard.some(({ type }) => type === 'changed'));
  await session.ask('create_entities', entities('Ada'));
  await eventually('both calls', () => heard.filter(({ type }) => type === 'call').length === 2);
});

test('reading calls cause no change events', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const session = await server.connect(t);
  await session.ask('create_entities', entities('Ada'));
  const heard = await server.events(t);
  await session.ask('read_graph');
  // A search writes to the search log. Reported as a change, it would make a page search again, endlessly.
  await session.ask('search_semantic', { query: 'Ada' });
  await new Promise((resolve) => setTimeout(resolve, NOTICE_MILLIS));
  assert.deepEqual(
    heard.map(({ type }) => type),
    ['hello', 'call', 'call'],
  );
});

test('a page that does not read its events is disconnected', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'], somePage());
  const page = connectSocket(server.port, '127.0.0.1');
  t.after(() => page.destroy());
  page.on('error', () => {});
  page.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.pageToken}\r\n\r\n`);
  await once(page, 'readable');
  await server.raw.initialize();
  const text = 'x'.repeat(16_000);
  // 16 MB: 8 MB may wait in the server, and 4 MB in the system.
  for (let i = 0; i < 1000; i++) server.raw.call(i, 'nothing', { text });
  // Each is scanned for secrets before the page gets it.
  const recorded = async () => ((await server.json('/api/calls?after=999'))['calls'] as ServerCall[]).length === 1;
  await eventually('all calls', recorded, 150_000);
  const closed = once(page, 'close');
  page.resume();
  const late = new Promise((resolve) => setTimeout(resolve, 5000, 'late').unref());
  assert.notEqual(await Promise.race([closed, late]), 'late');
});

test('the database can be downloaded', async (t) => {
  const server = await listening(
    t,
    ['--db', join(temporaryFolder(), 'my memory.db'), '--ui', '--no-model'],
    somePage(),
  );
  const session = await server.connect(t);
  await session.ask('create_entities', entities('Ada', 'Grace'));
  const reply = await server.send('/api/database', { headers: server.pagePass });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-disposition'], 'attachment; filename="my_memory.db"');
  const copy = join(temporaryFolder(), 'copy.db');
  writeFileSync(copy, reply.body);
  assert.deepEqual(await inspect(copy), { integrity: 'ok', names: ['Ada', 'Grace'] });
  await session.ask('create_entities', entities('Edsger'));
});

test('a database that cannot be read is reported by its code', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  writeFileSync(db, 'this is not a database, and long enough to be read twice by a program that opens it'.repeat(20));
  const server = await listening(t, ['--db', db, '--ui', '--no-model'], somePage());
  const reply = await server.send('/api/database', { headers: server.pagePass });
  assert.equal(reply.status, 500);
  assert.match(String(reply.code), /not_a_database|damaged/);
  assert.equal((await server.json('/api/status'))['database'], db);
});

test('the page is offered the standard tools if agents get those of another server', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model', '--compat', 'server-memory'];
  const server = await listening(t, args, somePage());
  const [agent, page] = [await server.connect(t), await server.connect(t, 'limbic-explorer', '/mcp/explorer')];
  const names = async (session: typeof agent): Promise<string[]> =>
    (await session.client.listTools()).tools.map(({ name }) => name);
  assert.equal((await names(agent)).length, 9);
  assert.ok((await names(page)).includes('search_semantic'));
});

test("only the page is offered the explorer's tools", async (t) => {
  for (const more of [[], ['--toolsets', 'all'], ['--compat', 'server-memory'], ['--read-only']]) {
    const db = join(temporaryFolder(), 'memory.db');
    await (await connect(t, ['--db', db, '--no-model'])).ask('create_entities', entities('Ada'));
    const server = await listening(t, ['--db', db, '--ui', '--no-model', ...more], somePage());
    const [agent, page] = [await server.connect(t), await server.connect(t, 'limbic-explorer', '/mcp/explorer')];
    // Alternately, so that rights of one that leak to the other are noticed.
    for (let i = 0; i < 2; i++) {
      assert.equal(((await page.ask('explore_graph'))['nodes'] as unknown[]).length, 1, more.join(' '));
      assert.equal(await agent.refused('explore_graph'), 'unknown_tool', more.join(' '));
    }
    await page.ask('search_semantic', { query: 'Ada' });
    const names = (await agent.client.listTools()).tools.map(({ name }) => name);
    assert.ok(!names.some((name) => name.startsWith('explore_')), more.join(' '));
    if (more.includes('--read-only'))
      assert.equal(await page.refused('create_entities', entities('Grace')), 'read_only');
  }
});

test('tools that need the code index are offered together with it', async (t) => {
  const offered = async (...more: string[]): Promise<readonly string[]> => {
    const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', ...more]);
    const { tools } = await session.client.listTools();
    return tools.map(({ name }) => name);
  };
  assert.ok(!(await offered('--toolsets', 'explorer')).includes('explore_source'));
  const both = await offered('--toolsets', 'code,explorer');
  assert.ok(both.includes('explore_source') && both.includes('explore_code'));
  const original = await offered('--compat', 'memory-mcp-server');
  for (const name of ['recall_code', 'project_info', 'search_code', 'memory_store'])
    assert.ok(original.includes(name), name);
  assert.ok(!(await offered('--toolsets', 'all')).includes('recall_code'));
});
