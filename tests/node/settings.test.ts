/** The explorer's settings over HTTP: tokens and sessions, and the rights to see and change them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { HttpServer, listening, MCP_HEADERS, type Reply, somePage } from './support/http.ts';
import { askOverHttp } from './support/modern.ts';
import { temporaryFolder } from './support/places.ts';
import { run } from './support/run.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Listed {
  readonly id?: string;
  readonly client: string;
  readonly kind: string;
  readonly token?: string;
  readonly calls: number;
  readonly since: string;
  readonly last_call?: string;
}

async function started(
  t: TestContext,
  ...args: string[]
): Promise<{ readonly db: string; readonly server: HttpServer }> {
  const db = join(temporaryFolder(), 'memory.db');
  const server = await listening(t, ['--db', db, '--ui', '--no-model', ...args], somePage());
  return { db, server };
}

function createToken(server: HttpServer, fields: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const sent = { ...server.pagePass, ...JSON_TYPE, ...headers };
  return server.send('/api/tokens', { method: 'POST', headers: sent, body: JSON.stringify(fields) });
}

function withToken({ raw, port }: HttpServer, text: string): HttpServer {
  return new HttpServer(raw, port, text, text);
}

async function clients(server: HttpServer): Promise<Listed[]> {
  return (await server.json('/api/sessions'))['sessions'] as Listed[];
}

function text({ body }: Reply): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

test('the page creates a token, which is shown once, and revokes it with its sessions', async (t) => {
  const { db, server } = await started(t);
  const rights = { toolsets: ['memory'], read_only: true, user: 'ada', expires: '90d' };
  const reply = await createToken(server, { name: 'laptop', ...rights });
  assert.equal(reply.status, 201, reply.body.toString());
  const { token } = text(reply) as { token: string };
  assert.match(token, /^limbic_[\w-]{43}$/);
  const listing = (await server.send('/api/tokens', { headers: server.pagePass })).body.toString();
  assert.ok(!listing.includes(token));
  const { can_change, tokens } = JSON.parse(listing) as { can_change: boolean; tokens: Record<string, unknown>[] };
  assert.equal(can_change, true);
  const [{ created, expires, last_used, ...shown } = {}] = tokens;
  const kept = { name: 'laptop', toolsets: ['memory'], read_only: true, user: 'ada', explorer: false };
  assert.deepEqual([shown, last_used], [kept, undefined]);
  assert.ok(Date.parse(String(expires)) > Date.parse(String(created)));
  const agent = withToken(server, token);
  const client = await agent.connect(t, 'an-agent');
  assert.equal(await client.refused('memory_store', { content: 'Boats sail at dawn' }), 'read_only');
  await client.ask('memory_list');
  const session = (await clients(server)).find((one) => one.client === 'an-agent');
  assert.deepEqual([session?.kind, session?.token, session?.calls], ['token', 'laptop', 2]);
  const used = (await server.json('/api/tokens'))['tokens'] as { last_used?: string }[];
  assert.ok(used[0]?.last_used !== undefined);
  const revoked = await server.send('/api/tokens?name=laptop', { method: 'DELETE', headers: server.pagePass });
  assert.deepEqual([revoked.status, text(revoked)], [200, { revoked: 'laptop' }]);
  assert.deepEqual(await clients(server), []);
  assert.equal((await agent.send('/mcp', { method: 'POST', headers: agent.pass })).status, 401);
  assert.ok(!existsSync(join(`${db}-tokens`, 'laptop.json')));
  const again = await server.send('/api/tokens?name=laptop', { method: 'DELETE', headers: server.pagePass });
  assert.equal(`${again.status} ${again.code}`, '404 not_found');
});

test('invalid fields create no token', async (t) => {
  const { db, server } = await started(t);
  for (const [fields, says] of [
    [{}, /the name of a token/],
    [{ name: '../up' }, /lower case letters/],
    [{ name: 'a', toolset: ['memory'] }, /not "toolset"/],
    [{ name: 'a', toolsets: ['grph'] }, /^toolsets must be one of/],
    [{ name: 'a', toolsets: 'memory' }, /list of names/],
    [{ name: 'a', toolsets: [] }, /list of names/],
    [{ name: 'a', toolsets: ['graph'], user: 'ada' }, /no tools for one user/],
    [{ name: 'a', explorer: true, user: 'ada' }, /cannot be combined/],
    [{ name: 'a', user: '' }, /user must be/],
    [{ name: 'a', read_only: 'yes' }, /true or false/],
    [{ name: 'a', expires: '2020-01-01' }, /a future date/],
    [[], /JSON object/],
  ] as const) {
    const reply = await createToken(server, fields);
    assert.equal(`${reply.status} ${reply.code}`, '400 invalid_arguments', JSON.stringify(fields));
    assert.match(String(text(reply)['error']), says);
  }
  const long = await createToken(server, { name: 'a', user: 'x'.repeat(70_000) });
  assert.equal(`${long.status} ${long.code}`, '413 too_large');
  assert.ok(!existsSync(`${db}-tokens/a.json`));
  assert.equal((await createToken(server, { name: 'a' })).status, 201);
  const stored = readFileSync(`${db}-tokens/a.json`, 'utf8');
  const taken = await createToken(server, { name: 'a', explorer: true });
  assert.equal(`${taken.status} ${taken.code}`, '409 name_taken');
  assert.equal(readFileSync(`${db}-tokens/a.json`, 'utf8'), stored);
});

test('only the server’s own page changes the settings, and agents do not see them', async (t) => {
  const { server } = await started(t);
  const agent = (text(await createToken(server, { name: 'agent' })) as { token: string }).token;
  const desk = (text(await createToken(server, { name: 'desk', explorer: true })) as { token: string }).token;
  const session = await server.connect(t, 'stays');
  const [{ id = '' } = {}] = await clients(server);
  const ways = [
    ['GET', '/api/tokens'],
    ['POST', '/api/tokens'],
    ['DELETE', '/api/tokens?name=agent'],
    ['GET', '/api/sessions'],
    ['DELETE', `/api/sessions?id=${id}`],
  ] as const;
  const codes = async (headers: Record<string, string>): Promise<string[]> => {
    const sent = { ...JSON_TYPE, ...headers };
    const body = '{"name":"more"}';
    const replies = [];
    for (const [method, path] of ways) {
      const { status, code } = await server.send(path, { method, headers: sent, ...(method === 'POST' && { body }) });
      replies.push(`${status} ${code ?? ''}`.trim());
    }
    return replies;
  };
  const all = (code: string): string[] => ways.map(() => code);
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  assert.deepEqual(await codes({}), all('401 unauthorized'));
  assert.deepEqual(await codes(server.pass), all('403 forbidden'), 'the token of agents');
  assert.deepEqual(await codes(bearer(agent)), all('403 forbidden'), 'a named token');
  const reads = ['200', '403 forbidden', '403 forbidden', '200', '403 forbidden'];
  assert.deepEqual(await codes(bearer(desk)), reads, 'a named token of the explorer');
  const { reason, ...seen } = await withToken(server, desk).json('/api/tokens');
  assert.deepEqual(seen, { can_change: false }, 'it sees no names of tokens');
  assert.match(String(reason), /limbic-memory token/);
  assert.deepEqual(await codes({ ...server.pagePass, origin: 'https://evil.example' }), all('403 wrong_origin'));
  assert.deepEqual(await codes({ ...server.pagePass, host: 'evil.example' }), all('403 wrong_host'));
  const form = await createToken(server, { name: 'form' }, { 'content-type': 'text/plain' });
  assert.equal(`${form.status} ${form.code}`, '415 unsupported_media_type');
  const put = await server.send('/api/tokens', { method: 'PUT', headers: server.pagePass });
  assert.deepEqual([put.status, put.headers.allow], [405, 'GET, POST, DELETE']);
  const names = ((await server.json('/api/tokens'))['tokens'] as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ['agent', 'desk']);
  await session.ask('read_graph');
});

test('a server with --read-only shows the settings and does not change them', async (t) => {
  const { db, server } = await started(t);
  await createToken(server, { name: 'old' });
  const reader = await listening(t, ['--db', db, '--ui', '--no-model', '--read-only'], somePage());
  const { can_change, reason, tokens } = await reader.json('/api/tokens');
  assert.deepEqual([can_change, (tokens as unknown[]).length], [false, 1]);
  assert.match(String(reason), /--read-only/);
  const made = await createToken(reader, { name: 'new' });
  const gone = await reader.send('/api/tokens?name=old', { method: 'DELETE', headers: reader.pagePass });
  const ended = await reader.send('/api/sessions?id=1', { method: 'DELETE', headers: reader.pagePass });
  for (const reply of [made, gone, ended]) assert.equal(`${reply.status} ${reply.code}`, '403 read_only');
});

test('the list of clients includes those without a session, and a session can be ended', async (t) => {
  const { server } = await started(t);
  const client = await server.connect(t, 'an-agent');
  await client.ask('read_graph');
  const page = await server.connect(t, 'limbic-explorer', '/mcp/explorer');
  await page.ask('explore_stats');
  const ask = askOverHttp(server);
  await ask('tools/call', { name: 'memory_list', arguments: {} });
  await ask('tools/call', { name: 'memory_list', arguments: {} });
  const list = await clients(server);
  const shown = list.map(({ id, client: name, kind, calls }) => [id !== undefined, name, kind, calls]);
  assert.deepEqual(shown.slice(0, 2), [
    [true, 'an-agent', 'agents', 1],
    [true, 'limbic-explorer', 'explorer', 1],
  ]);
  assert.deepEqual([shown[2]?.[0], ...(shown[2]?.slice(2) ?? [])], [false, 'agents', 2]);
  for (const { since, last_call = '' } of list) assert.ok(Date.parse(since) <= Date.parse(last_call));
  const end = (id: string): Promise<Reply> =>
    server.send(`/api/sessions?id=${id}`, { method: 'DELETE', headers: server.pagePass });
  assert.equal((await end(list[0]?.id ?? '')).status, 200);
  assert.deepEqual((await clients(server)).map(({ client: name }) => name).slice(0, 1), ['limbic-explorer']);
  const gone = await end(list[0]?.id ?? '');
  assert.equal(`${gone.status} ${gone.code}`, '404 not_found');
  await assert.rejects(client.ask('read_graph'), /does not exist any more|404/);
  await page.ask('explore_stats');
});

test('ending a session closes its stream and stops its calls', async (t) => {
  const { server } = await started(t);
  const headers = await server.begin();
  const stream = await fetch(server.url('/mcp'), { headers: { ...headers, accept: 'text/event-stream' } });
  const [{ id = '' } = {}] = await clients(server);
  await server.send(`/api/sessions?id=${id}`, { method: 'DELETE', headers: server.pagePass });
  await stream.text().catch(() => {});
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const reply = await server.send('/mcp', { method: 'POST', headers: { ...headers, ...MCP_HEADERS }, body: ping });
  assert.equal(reply.status, 404);
});

test('the list on the command line and in the page is the same', async (t) => {
  const { db, server } = await started(t);
  await createToken(server, { name: 'laptop', read_only: true });
  const { stdout } = run(['token', 'list', '--db', db]);
  assert.deepEqual((await server.json('/api/tokens'))['tokens'], [JSON.parse(stdout)]);
});
