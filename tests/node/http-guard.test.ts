import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { entities, eventually } from './support/client.ts';
import { type HttpServer, INITIALIZE, listening, madeTokens, MCP_HEADERS, somePage } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';
import { type RawServer, start } from './support/raw.ts';

const NO_MODEL = '--no-model';

async function served(server: HttpServer, headers: Record<string, string>): Promise<string> {
  const reply = await server.send('/mcp', {
    method: 'POST',
    headers: { ...MCP_HEADERS, ...headers },
    body: INITIALIZE,
  });
  return reply.status === 200 ? 'served' : `${reply.status} ${reply.code}`;
}

test('only requests with the token are served', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL], somePage());
  assert.match(server.token, /^[\w-]{43}$/, '32 random bytes');
  assert.equal(await served(server, server.pass), 'served');
  for (const authorization of [
    undefined,
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${server.token}x`,
    `Basic ${server.token}`,
  ]) {
    assert.equal(
      await served(server, authorization === undefined ? {} : { authorization }),
      '401 unauthorized',
      authorization,
    );
  }
  assert.equal(
    (await server.send(`/mcp?token=${server.token}`, { method: 'POST', headers: MCP_HEADERS, body: INITIALIZE }))
      .status,
    401,
  );
  for (const path of ['/mcp', '/mcp/explorer', '/api/status', '/api/events', '/api/calls', '/api/database']) {
    const reply = await server.send(path);
    assert.equal(reply.status, 401, path);
    assert.equal(reply.headers['www-authenticate'], 'Bearer');
    assert.match(reply.body.toString(), /"error":"The token is missing: /);
  }
});

test('a given token is accepted and not logged', async (t) => {
  const token = 'correct-horse.battery~staple';
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL];
  for (const [more, env] of [
    [['--token', token], {}],
    [[], { LIMBIC_TOKEN: token }],
  ] as const) {
    const server = await listening(t, [...args, ...more], { ...somePage(), ...env });
    assert.equal(await served(server, { authorization: `Bearer ${token}` }), 'served');
    assert.equal(await served(server, { authorization: 'Bearer correct-horse.battery~stable' }), '401 unauthorized');
    assert.ok(!server.raw.stderr.includes(token), server.raw.stderr);
  }
});

test('a foreign host name is rejected, whatever the token', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL], somePage());
  const { port } = server;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, '127.0.0.1:1']) {
    assert.equal(await served(server, { ...server.pass, host }), 'served', host);
  }
  const foreign = [
    `evil.example:${port}`,
    'evil.example',
    `127.0.0.1.evil.example:${port}`,
    `localhost.:${port}`,
    `192.168.0.1:${port}`,
    '@',
    '[::1',
  ];
  for (const host of foreign) assert.equal(await served(server, { ...server.pass, host }), '403 wrong_host', host);
  for (const path of ['/', '/api/status']) {
    assert.equal(
      (await server.send(path, { headers: { ...server.pass, host: 'evil.example' } })).code,
      'wrong_host',
      path,
    );
  }
});

test('a request names its host and its origin once', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL], somePage());
  const [own, evil] = [`127.0.0.1:${server.port}`, 'evil.example'];
  const told = async (path: string, headers: readonly string[]): Promise<string> => {
    const { host, port } = { host: '127.0.0.1', port: server.port };
    const pass = Object.entries({ ...server.pass, ...MCP_HEADERS }).flat();
    const sent = httpRequest({ host, port, path, method: 'POST', headers: [...pass, ...headers] });
    sent.end(INITIALIZE);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response) text += String(piece);
    const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
    return `${response.statusCode} ${code}`;
  };
  assert.equal(await told('/mcp', ['Host', own]), '200 ');
  assert.equal(await told('/mcp?of=http://page', ['Host', own]), '200 ');
  assert.equal(await told('/mcp', ['Host', own, 'Host', evil]), '400 ambiguous_host');
  assert.equal(await told('/mcp', ['Host', own, 'Host', own]), '400 ambiguous_host');
  assert.equal(await told(`http://${own}/mcp`, ['Host', own, 'Host', own]), '400 ambiguous_host');
  assert.equal(await told(`ftp://${own}/mcp`, ['Host', own]), '400 ambiguous_host');
  for (const host of [evil, `${own}@${evil}`, `${evil}@${own}`]) {
    for (const path of ['/mcp', '/']) {
      assert.equal(await told(`http://${host}${path}`, ['Host', own]), '403 wrong_host', host);
    }
  }
  // RFC 9112, section 3.2.2: the host of the target counts.
  assert.equal(await told(`http://${own}/mcp`, ['Host', own]), '200 ');
  assert.equal(await told(`HTTP://localhost:${server.port}/mcp?a=b`, ['Host', evil]), '200 ');
  assert.equal(
    await told(`http://localhost:${server.port}/mcp`, ['Host', own, 'Origin', `http://${own}`]),
    '403 wrong_origin',
  );
  const origins = ['Origin', `http://${own}`, 'Origin', `http://${evil}`];
  assert.equal(await told('/mcp', ['Host', own, ...origins]), '403 wrong_origin');
});

test('a request of another origin is rejected, whatever the token', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL], somePage());
  const own = `http://127.0.0.1:${server.port}`;
  assert.equal(await served(server, { ...server.pass, origin: own }), 'served');
  for (const origin of [
    'http://evil.example',
    'null',
    `https://127.0.0.1:${server.port}`,
    'http://127.0.0.1:1',
    `http://localhost:${server.port}`,
  ]) {
    assert.equal(await served(server, { ...server.pass, origin }), '403 wrong_origin', origin);
  }
  const preflight = await server.send('/mcp', { method: 'OPTIONS', headers: { origin: 'http://evil.example' } });
  assert.equal(preflight.status, 403);
  for (const reply of [
    preflight,
    await server.send('/mcp', { method: 'OPTIONS', headers: { ...server.pass, origin: own } }),
  ]) {
    assert.deepEqual(
      Object.keys(reply.headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

test('a server with another host accepts that name and numeric addresses', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0.0.0.0:0', NO_MODEL]);
  assert.match(server.raw.stderr, /other computers can reach/);
  for (const host of ['192.168.0.1:80', '[fe80::1]:80', 'localhost']) {
    assert.equal(await served(server, { ...server.pass, host }), 'served', host);
  }
  assert.equal(await served(server, { ...server.pass, host: 'evil.example' }), '403 wrong_host');
});

test('behind a proxy with TLS its name and its origin are accepted', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', NO_MODEL];
  const server = await listening(t, [...args, '--public-url', 'https://Memory.example']);
  assert.match(server.raw.stderr, /MCP over HTTP: https:\/\/memory\.example\/mcp /);
  const own = `127.0.0.1:${server.port}`;
  const origin = 'https://memory.example';
  const accepted: Record<string, string>[] = [
    { host: 'memory.example', origin },
    { host: own, origin },
    { host: 'memory.example' },
    { host: 'memory.example:443', origin },
  ];
  for (const headers of accepted) {
    assert.equal(await served(server, { ...server.pass, ...headers }), 'served', JSON.stringify(headers));
  }
  const status = async (headers: Record<string, string>): Promise<string> =>
    served(server, { ...server.pass, ...headers });
  assert.equal(await status({ host: 'other.example', origin }), '403 wrong_host');
  assert.equal(await status({ host: 'memory.example', origin: 'https://other.example' }), '403 wrong_origin');
  assert.equal(await status({ host: 'memory.example', origin: 'http://memory.example' }), '403 wrong_origin');
  assert.equal(await status({ host: own, origin: 'https://memory.example:8443' }), '403 wrong_origin');
  assert.equal(await served(server, { host: 'memory.example', origin }), '401 unauthorized');
});

test('a Unix socket serves its owner alone, and is replaced when a killed server has left it', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'memory.sock');
  const open = async (): Promise<RawServer> => {
    const server = start(t, ['--db', join(folder, 'memory.db'), '--http', `unix:${path}`, NO_MODEL]);
    await eventually('it listens', () => server.stderr.includes(`MCP over HTTP: path /mcp on the socket ${path} `));
    return server;
  };
  const first = await open();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const status = async (server: RawServer, headers: Record<string, string> = {}): Promise<number | undefined> => {
    const { token } = madeTokens(server.stderr);
    const sent = httpRequest({
      socketPath: path,
      path: '/mcp',
      method: 'POST',
      headers: { host: 'localhost', authorization: `Bearer ${token}`, ...MCP_HEADERS, ...headers },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(INITIALIZE);
    const [response] = await answered;
    response.resume();
    return response.statusCode;
  };
  assert.equal(await status(first), 200);
  assert.equal(await status(first, { authorization: 'Bearer wrong' }), 401);
  const second = start(t, ['--db', join(folder, 'memory.db'), '--http', `unix:${path}`, NO_MODEL]);
  await eventually('the other is told', () => second.stderr.includes(`the socket ${path} is in use`));
  first.process.kill('SIGKILL');
  await first.ended();
  const third = await open();
  assert.equal(await status(third), 200);
  third.process.kill('SIGTERM');
  assert.equal(await third.ended(), 0);
  assert.ok(!existsSync(path), 'it is removed');
});

test('servers on sockets of the same name keep their tokens in files of their own', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = temporaryFolder();
  const tokenFile = async (name: string): Promise<string> => {
    mkdirSync(join(folder, name));
    const path = join(folder, name, 'memory.sock');
    const server = start(t, ['--db', join(folder, 'memory.db'), '--http', `unix:${path}`, NO_MODEL]);
    await eventually('it listens', () => server.stderr.includes(`on the socket ${path} `));
    return /the tokens of this server are in (.+)\n/.exec(server.stderr)?.[1] ?? '';
  };
  const [first, second] = [await tokenFile('a'), await tokenFile('b')];
  assert.notEqual(first, second);
  assert.ok(existsSync(first) && existsSync(second), `${first} ${second}`);
});

test('a body that is too large is rejected, declared or not, and the server continues', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', NO_MODEL]);
  const headers = { ...server.pass, ...MCP_HEADERS };
  const body = Buffer.alloc(33 * 1024 * 1024, ' ');
  for (const [name, value] of [
    ['content-length', String(body.length)],
    ['transfer-encoding', 'chunked'],
  ] as const) {
    const reply = await server.send('/mcp', { method: 'POST', headers: { ...headers, [name]: value }, body });
    assert.equal(`${reply.status} ${reply.code}`, '413 too_large');
  }
  const declared = httpRequest(server.url('/mcp'), {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
  });
  const answered = once(declared, 'response') as Promise<[IncomingMessage]>;
  declared.flushHeaders();
  assert.equal((await answered)[0].statusCode, 413, 'before it is sent');
  declared.destroy();
  const session = await server.connect(t);
  // A body within the limit is accepted, although it exceeds the SDK's default limit.
  const long = 'x'.repeat(9000);
  await session.ask('create_entities', {
    entities: Array.from({ length: 900 }, (_, i) => ({
      name: `entity ${i}`,
      entityType: 'Test',
      observations: [`${i} ${long}`],
    })),
  });
});

test('invalid JSON, invalid JSON-RPC and unsupported methods are reported', async (t) => {
  const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--ui', NO_MODEL], somePage());
  const session = await server.connect(t);
  const headers = { ...server.pass, ...MCP_HEADERS };
  const refusal = async (body: string): Promise<unknown> => {
    const reply = await server.send('/mcp', { method: 'POST', headers, body });
    return {
      status: reply.status,
      code: (JSON.parse(reply.body.toString()) as { error: { code: number } }).error.code,
    };
  };
  assert.deepEqual(await refusal('{"jsonrpc":'), { status: 400, code: -32_700 });
  assert.deepEqual(await refusal('[]'), { status: 400, code: -32_600 });
  assert.deepEqual(await refusal('null'), { status: 400, code: -32_600 });
  const begun = await server.begin();
  for (const [body, id] of [
    ['7', null],
    ['"text"', null],
    ['{}', null],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', 4],
    ['{"jsonrpc":"2.0","id":5,"method":7}', 5],
    ['{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', 6],
  ] as const) {
    const { status, body: text } = await server.send('/mcp', { method: 'POST', headers: begun, body });
    const answer = JSON.parse(text.toString()) as { id: unknown; error: { code: number } };
    assert.deepEqual([status, answer.id, answer.error.code], [400, id, -32_600], body);
  }
  for (const [method, path, allow] of [
    ['PUT', '/mcp', 'POST, GET, DELETE'],
    ['POST', '/api/calls', 'GET'],
    ['POST', '/', 'GET, HEAD'],
  ] as const) {
    const reply = await server.send(path, { method, headers: server.passFor(path) });
    assert.deepEqual([reply.status, reply.headers.allow], [405, allow], path);
  }
  await session.ask('create_entities', entities('Ada'));
});
