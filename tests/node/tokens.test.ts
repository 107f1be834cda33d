/** Access over HTTP: named tokens with a user, sessions bound to a token, files that may be imported. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { announce } from '../../node/src/http/announcement.ts';
import type { HttpOptions } from '../../node/src/http-options.ts';
import { TokenStore } from '../../node/src/token-store.ts';
import { connect, entities, type Session } from './support/client.ts';
import { HttpServer, INITIALIZE, listening, madeTokens, MCP_HEADERS, somePage } from './support/http.ts';
import { type Ask, ASKS, askOverHttp, toolAnswer } from './support/modern.ts';
import { PROGRAMS, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

const SERVE = ['--http', '0', '--no-model'];
const isWindows = process.platform === 'win32';

/** Runs `limbic-memory token`. */
function token(db: string, ...args: string[]): Ran {
  return run(['token', ...args, '--db', db]);
}

/** Creates a token and gives its text. */
function created(db: string, ...args: string[]): string {
  const { status, stdout, stderr } = token(db, 'create', ...args);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^limbic_[\w-]{43}\n$/);
  return stdout.trim();
}

function listed(db: string): Record<string, unknown>[] {
  const { status, stdout, stderr } = token(db, 'list');
  assert.equal(status, 0, stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function pass(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}

/** The server as a client with this token. */
function withToken({ raw, port }: HttpServer, text: string): HttpServer {
  return new HttpServer(raw, port, text, text);
}

async function toolNames(session: Session): Promise<string[]> {
  return (await session.client.listTools()).tools.map(({ name }) => name);
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

test('tokens are created once, listed with what they allow, and stored as digests for their owner', () => {
  const db = join(temporaryFolder(), 'memory.db');
  const text = created(db, 'laptop', '--toolsets', 'memory', '--read-only', '--user', 'ada', '--expires', '90d');
  created(db, 'desk', '--explorer');
  assert.match(token(db, 'create', 'laptop').stderr, /there is a token "laptop" already/);
  const [desk, laptop] = listed(db);
  assert.deepEqual([desk?.['name'], desk?.['explorer'], desk?.['read_only']], ['desk', true, false]);
  const { name, toolsets, read_only, user, last_used } = laptop ?? {};
  assert.deepEqual([name, toolsets, read_only, user, last_used], ['laptop', ['memory'], true, 'ada', undefined]);
  const days = (Date.parse(String(laptop?.['expires'])) - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90, String(days));
  const folder = `${db}-tokens`;
  assert.deepEqual(readdirSync(folder).sort(), ['desk.json', 'laptop.json']);
  const stored = readFileSync(join(folder, 'laptop.json'), 'utf8');
  assert.ok(!stored.includes(text) && !stored.includes(text.slice('limbic_'.length)), stored);
  if (!isWindows) {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'laptop.json')).mode & 0o777, 0o600);
  }
  assert.equal(token(db, 'revoke', 'laptop').status, 0);
  assert.equal(token(db, 'revoke', 'laptop').status, 1);
  assert.deepEqual(
    listed(db).map((one) => one['name']),
    ['desk'],
  );
});

test('invalid arguments of the token command are rejected', () => {
  const db = join(temporaryFolder(), 'memory.db');
  for (const [args, says] of [
    [['create'], /needs one name/],
    [['create', '../up'], /lower case letters/],
    [['create', 'a', '--expires', '2020-01-01'], /a future date/],
    [['create', 'a', '--expires', 'soon'], /--expires must be/],
    [['create', 'a', '--toolsets', 'grph'], /--toolsets must be one of/],
    [['create', 'a', '--toolsets', ','], /--toolsets must name at least one toolset; omit it for those of the server/],
    [['create', 'a', '--user', 'ada', '--toolsets', 'graph'], /others have no tools for one user/],
    [['create', 'a', '--user', 'ada', '--explorer'], /--explorer and --user cannot be combined/],
    [['revoke', 'a', '--user', 'ada'], /--user belongs to token create/],
    [['forget', 'a'], /the action of token must be one of/],
  ] as const) {
    const { status, stderr } = token(db, ...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, says);
  }
  assert.ok(!existsSync(`${db}-tokens`));
});

test('an invalid file refuses its own token only', () => {
  const db = join(temporaryFolder(), 'memory.db');
  const text = created(db, 'valid');
  const folder = `${db}-tokens`;
  const valid = JSON.parse(readFileSync(join(folder, 'valid.json'), 'utf8')) as Record<string, unknown>;
  const store = new TokenStore(db);
  const invalid: readonly Record<string, unknown>[] = [
    { sha256: undefined },
    { sha256: 1 },
    { sha256: 'short' },
    { toolsets: 'memory' },
    { toolsets: [1] },
    { toolsets: null },
    { user: 1 },
    // A number would be taken for a year.
    { expires: 20_000 },
    { expires: 'soon' },
  ];
  for (const change of invalid) {
    const what = JSON.stringify(change);
    // It is read before the valid one.
    writeFileSync(join(folder, 'broken.json'), JSON.stringify({ ...valid, ...change }));
    assert.equal(store.find(text)?.name, 'valid', what);
    assert.equal(store.find('limbic_unknown'), undefined, what);
    assert.deepEqual(
      store.list().map(({ name }) => name),
      ['valid'],
      what,
    );
    assert.equal(token(db, 'list').status, 0, what);
  }
});

test('a token reaches what it allows, and its last use is stored', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, ...SERVE]);
  const ofReader = withToken(server, created(db, 'reader', '--toolsets', 'memory', '--read-only'));
  const reader = await ofReader.connect(t);
  const names = await toolNames(reader);
  // The list depends on the token, so that it is not cached for others.
  assert.equal((await askOverHttp(ofReader)('tools/list')).result?.['cacheScope'], 'private');
  assert.ok(names.includes('memory_recall') && !names.includes('memory_store') && !names.includes('read_graph'));
  const refused = await reader.call('memory_store', { content: 'Boats sail at dawn' });
  assert.match(refused.text, /"code":"read_only","hint":"This token may only read/);
  assert.doesNotMatch(refused.text, /start the server/);
  assert.equal(await reader.refused('read_graph'), 'unknown_tool');
  const writer = await withToken(server, created(db, 'writer')).connect(t);
  await writer.ask('memory_store', { content: 'Boats sail at dawn' });
  await writer.ask('create_entities', entities('Ada'));
  assert.equal(((await reader.ask('memory_recall', { query: 'boats' }))['memories'] as unknown[]).length, 1);
  // The graph is neither listed, read nor watched, and its names are not completed.
  for (const [{ client }, count] of [
    [reader, 0],
    [writer, 1],
  ] as const) {
    assert.equal((await client.listResources()).resources.length, 2 * count);
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, count);
    const argument = { name: 'name', value: 'A' };
    const completed = await client.complete({ ref: { type: 'ref/resource', uri: 'memory://entity/{name}' }, argument });
    assert.equal(completed.completion.values.length, count);
  }
  for (const uri of ['memory://knowledge-graph', 'memory://stats', 'memory://entity/Ada']) {
    await assert.rejects(reader.client.readResource({ uri }), { code: -32_002 }, uri);
    await assert.rejects(reader.client.subscribeResource({ uri }), { code: -32_002 }, uri);
    assert.equal((await writer.client.readResource({ uri })).contents.length, 1, uri);
  }
  // Without rights of its own: the server's token.
  await (await server.connect(t)).ask('memory_store', { content: 'Boats return at dusk' });
  for (const { last_used } of listed(db)) assert.ok(Date.now() - Date.parse(String(last_used)) < 60_000);
});

test('a token of a user reaches only that user’s records', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', '--no-model', '--toolsets', 'all'], somePage());
  const everyone = await server.connect(t);
  await everyone.ask('create_entities', entities('Zebra'));
  const ada = await withToken(server, created(db, 'ada', '--user', 'ada')).connect(t);
  const text = created(db, 'ben', '--user', 'ben');
  const ben = await withToken(server, text).connect(t);
  await ben.ask('memory_store', { id: 'ben-1', content: 'The zebra sleeps', tags: ['zebra'] });
  await ada.ask('memory_store', { id: 'ada-1', content: 'The boat sleeps' });
  assert.equal(await ada.refused('memory_list', { user_id: 'ben' }), 'forbidden');
  assert.equal(await ada.refused('memory_forget', { id: 'ben-1' }), 'memory_not_found');
  assert.equal(await ada.refused('search_nodes', { query: 'Zebra' }), 'forbidden');
  // `all` does not include the explorer's toolset.
  assert.equal(await ada.refused('query_sql', { sql: 'SELECT 1' }), 'unknown_tool');
  assert.deepEqual((await ada.ask('memory_get', { ids: ['ben-1'] }))['missing'], ['ben-1']);
  const { memories } = (await ada.ask('memory_recall', { query: 'who sleeps?', domain: '*', detail: 'full' })) as {
    memories: { id: string; user_id: string }[];
  };
  assert.deepEqual(
    memories.map(({ id, user_id }) => [id, user_id]),
    [['ada-1', 'ada']],
  );
  const names = await toolNames(ada);
  assert.ok(names.includes('memory_recall') && !names.includes('read_graph') && !names.includes('delete_domain'));
  assert.doesNotMatch(String(ada.client.getInstructions()), /graph/);
  assert.deepEqual((await ada.client.listResources()).resources, []);
  assert.deepEqual((await ada.client.listResourceTemplates()).resourceTemplates, []);
  await assert.rejects(ada.client.readResource({ uri: 'memory://knowledge-graph' }), /limited to one user/);
  await assert.rejects(ada.client.subscribeResource({ uri: 'memory://knowledge-graph' }), /not found/);
  const prompt = await ada.client.getPrompt({ name: 'recall-context', arguments: { domain: '*' } });
  assert.match(JSON.stringify(prompt), /boat/);
  assert.doesNotMatch(JSON.stringify(prompt), /zebra/i);
  await assert.rejects(
    ada.client.getPrompt({ name: 'recall-context', arguments: { user_id: 'ben' } }),
    /is limited to the user/,
  );
  for (const name of ['tag', 'entity']) {
    const ref = { type: 'ref/prompt', name: 'recall-context' } as const;
    const { completion } = await ada.client.complete({ ref, argument: { name, value: '' } });
    assert.deepEqual(completion.values, [], name);
  }
  // Without a session, each request by itself.
  const ask = askOverHttp(withToken(server, text));
  const found = toolAnswer(await ask('tools/call', { name: 'memory_list', arguments: {} }));
  assert.deepEqual([found.isError, found.value['total']], [false, 1]);
  const refused = toolAnswer(await ask('tools/call', { name: 'memory_list', arguments: { user_id: 'ada' } }));
  assert.equal(refused.value['code'], 'forbidden');
  // Alternately, so that rights of one that leak to another are noticed.
  assert.equal(((await everyone.ask('memory_list', {}))['memories'] as unknown[]).length, 2);
  for (const path of ['/mcp/explorer', '/api/status', '/api/database', '/api/events']) {
    const reply = await server.send(path, { headers: pass(text) });
    assert.equal(`${reply.status} ${reply.code}`, '403 forbidden', path);
  }
});

for (const args of [['--user', 'ada'], []]) {
  test(`a server ${args.length > 0 ? 'with --user' : 'with LIMBIC_USER'} works for that user, on stdio and HTTP`, async (t) => {
    const db = join(temporaryFolder(), 'memory.db');
    const env: Record<string, string> = args.length > 0 ? {} : { LIMBIC_USER: 'ada' };
    const everyone = await connect(t, ['--db', db, '--no-model']);
    await everyone.ask('memory_store', { content: 'The zebra sleeps', user_id: 'ben' });
    await everyone.ask('memory_store', { content: 'The quagga sleeps' });
    const stdio = await connect(t, ['--db', db, '--no-model', ...args], env);
    const server = await listening(t, ['--db', db, '--ui', '--no-model', ...args], { ...somePage(), ...env });
    for (const session of [stdio, await server.connect(t)]) {
      await session.ask('memory_store', { content: 'The boat sleeps' });
      const { memories } = (await session.ask('memory_list', { domain: '*' })) as { memories: { user_id: string }[] };
      assert.deepEqual(
        memories.map(({ user_id }) => user_id),
        ['ada'],
      );
      assert.equal(await session.refused('memory_store', { content: 'x', user_id: 'ben' }), 'forbidden');
      assert.equal(await session.refused('read_graph'), 'forbidden');
    }
    // A token of another user does not extend the server's limit to its user.
    const reply = await server.send('/mcp', {
      method: 'POST',
      headers: { ...pass(created(db, 'ben', '--user', 'ben')), ...MCP_HEADERS },
      body: INITIALIZE,
    });
    assert.equal(`${reply.status} ${reply.code}`, '403 forbidden');
    // The explorer is not limited to a user.
    const page = await server.connect(t, 'limbic-explorer', '/mcp/explorer');
    assert.equal(((await page.ask('memory_list', { domain: '*' }))['memories'] as unknown[]).length, 3);
  });
}

test('options that would leave no tools for a user are refused', () => {
  for (const args of [
    ['--user', 'ada', '--compat', 'memory-graph'],
    ['--user', 'ada', '--toolsets', 'graph,memory'],
  ]) {
    const { status, stderr } = run(args);
    assert.equal(status, 2, stderr);
    assert.match(stderr, /--user/);
  }
});

test('a revoked or expired token is refused from the next request on, and its streams end', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, ...SERVE]);
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await server.send('/mcp', { method: 'POST', headers, body: PING })).status;
  const revoked = await withToken(server, created(db, 'revoked')).begin();
  const expiring = created(db, 'expiring', '--expires', '1d');
  const expired = await withToken(server, expiring).begin();
  const kept = await withToken(server, created(db, 'kept')).begin();
  const stream = await fetch(server.url('/mcp'), { headers: { ...revoked, accept: 'text/event-stream' } });
  assert.equal(stream.status, 200);
  const ended = stream.text().then(
    () => true,
    () => true,
  );
  assert.deepEqual(await Promise.all([revoked, expired, kept].map(status)), [200, 200, 200]);
  token(db, 'revoke', 'revoked');
  const path = join(`${db}-tokens`, 'expiring.json');
  const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...stored, expires: '2020-01-01T00:00:00Z' }));
  assert.deepEqual(await Promise.all([revoked, expired, kept].map(status)), [401, 401, 200]);
  assert.ok(await ended, 'the stream ends');
  // A new token of the same name does not continue the session.
  const again = created(db, 'revoked');
  assert.equal(await status({ ...revoked, ...pass(again) }), 404);
});

test('a session belongs to the token that began it, also when its rights change', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, ...SERVE]);
  const [one, two] = [created(db, 'one'), created(db, 'two', '--user', 'ada')];
  const headers = await withToken(server, one).begin();
  const status = async (more: Record<string, string>): Promise<number> =>
    (await server.send('/mcp', { method: 'POST', headers: { ...headers, ...more }, body: PING })).status;
  assert.deepEqual([await status({}), await status(pass(two)), await status(server.pass)], [200, 404, 404]);
  for (const method of ['GET', 'DELETE']) {
    const reply = await server.send('/mcp', { method, headers: { ...headers, ...pass(two) } });
    assert.equal(reply.status, 404, method);
  }
  assert.equal(await status({}), 200, 'it goes on');
  const path = join(`${db}-tokens`, 'one.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), user: 'ada' }));
  assert.equal(await status({}), 404, 'a session of before does not keep its rights');
});

test('the explorer’s token and that of agents are not interchangeable', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', '--no-model'], somePage());
  assert.match(server.pageToken, /^[\w-]{43}$/);
  assert.notEqual(server.token, server.pageToken);
  const code = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<string> => {
    const sent = { ...headers, ...MCP_HEADERS };
    const reply = await server.send(path, {
      method,
      headers: sent,
      ...(method === 'POST' ? { body: INITIALIZE } : {}),
    });
    return `${reply.status} ${reply.code ?? ''}`.trim();
  };
  assert.equal(await code('/api/status', server.pagePass), '200');
  for (const path of ['/api/status', '/api/calls', '/api/database']) {
    assert.equal(await code(path, server.pass), '403 forbidden', path);
  }
  assert.equal(await code('/mcp/explorer', server.pass, 'POST'), '403 forbidden');
  assert.equal(await code('/mcp', server.pagePass, 'POST'), '403 forbidden');
  assert.equal(await code('/mcp/explorer', server.pagePass, 'POST'), '200');
  const desk = pass(created(db, 'desk', '--explorer', '--read-only'));
  assert.equal(await code('/mcp/explorer', desk, 'POST'), '200');
  const status = await server.send('/api/status', { headers: desk });
  assert.equal((JSON.parse(status.body.toString()) as { read_only: boolean }).read_only, true);
  assert.equal(await code('/api/status', pass(created(db, 'agent'))), '403 forbidden');
});

test('without a terminal, random tokens are in a private file, which is deleted with the server’s end', {
  skip: isWindows,
}, async (t) => {
  const db = join(realpathSync(temporaryFolder()), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', '--no-model'], somePage());
  const { stderr } = server.raw;
  assert.ok(!stderr.includes(server.token) && !stderr.includes(server.pageToken), stderr);
  const [, path = ''] = /the tokens of this server are in (.+)\n/.exec(stderr) ?? [];
  assert.equal(path, join(`${db}-tokens`, `server-${server.port}.txt`));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(`${db}-tokens`).mode & 0o777, 0o700);
  assert.deepEqual(listed(db), [], 'it is not a named token');
  server.raw.process.kill('SIGTERM');
  await server.raw.ended();
  assert.ok(!existsSync(path));
  const chosen = ['--token', 'a-token-of-my-own-1', '--page-token', 'a-token-of-my-own-2'];
  const other = await listening(t, ['--db', db, '--ui', '--no-model', ...chosen], somePage());
  assert.deepEqual(madeTokens(other.raw.stderr), {}, other.raw.stderr);
  assert.equal((await other.send('/api/status', { headers: pass('a-token-of-my-own-2') })).status, 200);
  const same = run(['--ui', '--token', chosen[1] ?? '', '--page-token', chosen[1] ?? '']);
  assert.match(same.stderr, /--token and --page-token must differ/);
});

test('the file with random tokens is deleted although a request is unfinished', { skip: isWindows }, async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, ...SERVE]);
  const file = (): string[] => readdirSync(`${db}-tokens`).filter((name) => name.startsWith('server-'));
  assert.equal(file().length, 1);
  const headers = { ...server.pass, ...MCP_HEADERS, 'content-length': '100', expect: '100-continue' };
  const unfinished = request({ host: '127.0.0.1', port: server.port, path: '/mcp', method: 'POST', headers });
  unfinished.on('error', () => {});
  t.after(() => unfinished.destroy());
  unfinished.flushHeaders();
  // The server waits for the body.
  await once(unfinished, 'continue');
  server.raw.process.kill('SIGTERM');
  await server.raw.ended();
  assert.deepEqual(file(), []);
});

test('the end of a server leaves the file of the next one at its address', () => {
  const db = join(temporaryFolder(), 'memory.db');
  const options = { host: '127.0.0.1', port: 0, hasPage: false } as HttpOptions;
  const announced = { db, address: 'http://127.0.0.1:3000', pageToken: 'page', isAtTerminal: false };
  const first = announce(options, { ...announced, token: 'first' });
  const next = announce(options, { ...announced, token: 'next' });
  first.remove();
  const [name = ''] = readdirSync(`${db}-tokens`);
  assert.match(readFileSync(join(`${db}-tokens`, name), 'utf8'), /Bearer next/);
  next.remove();
  assert.deepEqual(readdirSync(`${db}-tokens`), []);
  next.remove();
});

test('clients over HTTP import only from the allowed folder, and learn nothing of other files', {
  skip: isWindows,
}, async (t) => {
  const folder = realpathSync(temporaryFolder());
  const [inside, outside] = [join(folder, 'in'), join(folder, 'in-other')];
  mkdirSync(inside);
  mkdirSync(outside);
  const line = '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}\n';
  writeFileSync(join(inside, 'ada.jsonl'), line);
  writeFileSync(join(outside, 'ada.jsonl'), line);
  writeFileSync(join(outside, 'text.txt'), 'no memory');
  writeFileSync(join(inside, 'text.txt'), 'no memory');
  symlinkSync(outside, join(inside, 'link'));
  symlinkSync(join(outside, 'ada.jsonl'), join(inside, 'ada-link.jsonl'));
  const paths = [
    join(outside, 'ada.jsonl'),
    join(outside, 'text.txt'),
    join(outside, 'missing.jsonl'),
    join(inside, 'missing.jsonl'),
    join(inside, 'text.txt'),
    join(inside, 'link', 'ada.jsonl'),
    join(inside, 'ada-link.jsonl'),
    join(inside, '..', 'in-other', 'ada.jsonl'),
    '/etc/passwd',
    outside,
  ];
  const advanced = ['--toolsets', 'graph,advanced'];
  for (const [args, ownFile] of [
    [[], 'refused'],
    [['--import-dir', inside], 'imported'],
  ] as const) {
    const db = join(temporaryFolder(), 'memory.db');
    const server = await listening(t, ['--db', db, '--ui', '--no-model', ...advanced, ...args], somePage());
    const page = await server.connect(t, 'limbic-explorer', '/mcp/explorer');
    for (const session of [await server.connect(t), page]) {
      const answers = new Set<string>();
      for (const path of paths) {
        const answer = await session.call('migrate', { source_path: path });
        assert.equal(answer.isError, true, `${path}: ${answer.text}`);
        answers.add(answer.text.replace(path, 'PATH'));
      }
      assert.equal(answers.size, 1, [...answers].join('\n'));
      assert.match([...answers].join(), /--import-dir/);
      const answer = await session.call('migrate', { source_path: join(inside, 'ada.jsonl') });
      assert.equal(answer.isError ? 'refused' : 'imported', ownFile, answer.text);
    }
    // A client on stdio runs with the rights of the person who started it. The former name of a toolset is accepted.
    const local = await connect(t, ['--db', db, '--no-model', '--toolsets', 'graph,care']);
    await local.ask('migrate', { source_path: join(outside, 'ada.jsonl') });
  }
});

test('clients over HTTP do not learn which folders exist', { skip: isWindows }, async (t) => {
  const folder = realpathSync(temporaryFolder());
  const root = join(folder, 'code');
  for (const place of ['code/shop', 'code-other', 'private']) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, 'a.py'), 'a = 1\n');
  }
  symlinkSync(join(folder, 'private'), join(root, 'link'));
  const paths = [
    join(folder, 'private'),
    join(folder, 'missing'),
    join(folder, 'code-other'),
    join(root, 'missing'),
    join(root, 'shop', 'a.py'),
    join(root, 'link'),
    `${root}/../private`,
    '/etc/passwd',
    '~',
  ];
  const db = join(temporaryFolder(), 'memory.db');
  const code = ['--toolsets', 'code', '--code-root', root];
  const server = await listening(t, ['--db', db, '--no-model', '--http', '0', ...code]);
  const session = await server.connect(t);
  const answers = new Set<string>();
  for (const path of paths) {
    const answer = await session.call('index_project', { path });
    assert.equal(answer.isError, true, `${path}: ${answer.text}`);
    answers.add(answer.text);
  }
  assert.equal(answers.size, 1, [...answers].join('\n'));
  assert.match([...answers].join(), /--code-root/);
  assert.ok(![...answers].join().includes(root), [...answers].join());
  const indexed = await session.call('index_project', { path: join(root, 'shop'), wait: true });
  assert.equal(indexed.isError, false, indexed.text);
  // A client on stdio learns the reason.
  const local = await connect(t, ['--db', db, '--no-model', ...code]);
  const outside = await local.call('index_project', { path: join(folder, 'private') });
  assert.match(outside.text, /is outside/);
});

test('a token with an empty list of toolsets is not valid', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const text = created(db, 'hollow', '--toolsets', 'memory');
  const file = join(`${db}-tokens`, 'hollow.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('["memory"]', '[]'));
  const server = await listening(t, ['--db', db, ...SERVE]);
  const headers = { ...pass(text), ...MCP_HEADERS };
  const reply = await server.send('/mcp', { method: 'POST', headers, body: INITIALIZE });
  assert.equal(reply.status, 401, reply.body.toString());
});

test('a token for source code lists no tools of a server that does not read it', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const text = created(db, 'coder', '--toolsets', 'memory,code');
  for (const [args, isOffered] of [
    [[], false],
    [['--compat', 'server-memory'], false],
    [['--toolsets', 'memory,code', '--code-root', temporaryFolder()], true],
  ] as const) {
    const server = await listening(t, ['--db', db, ...SERVE, ...args]);
    const session = await withToken(server, text).connect(t);
    const names = await toolNames(session);
    assert.ok(names.includes('memory_recall'), names.join());
    assert.equal(names.includes('index_project'), isOffered, names.join());
    await session.leave();
    server.raw.process.kill('SIGKILL');
  }
});

for (const program of PROGRAMS) {
  test(`a confirmation counts only for the token that was asked (${program})`, async (t) => {
    const db = join(temporaryFolder(), 'memory.db');
    const server = await listening(t, ['--db', db, ...SERVE], {}, program);
    const [ada, ben] = ['ada', 'ben'].map((name) =>
      askOverHttp(new HttpServer(server.raw, server.port, created(db, name), server.pageToken)),
    ) as [Ask, Ask];
    await ada('tools/call', { name: 'memory_store', arguments: { id: 'm', content: 'The boat sleeps' } });
    const call = { name: 'memory_forget', arguments: { id: 'm' } };
    const requestState = (await ada('tools/call', call, ASKS)).result?.['requestState'];
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    const answered = { ...call, requestState, inputResponses };
    assert.equal((await ben('tools/call', answered, ASKS)).result?.['resultType'], 'input_required');
    assert.deepEqual(toolAnswer(await ada('tools/call', answered, ASKS)).value['deleted'], ['m']);
  });
}
