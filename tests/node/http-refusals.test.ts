/** Refusals of messages over HTTP, which both programs answer alike: their ids, and how much of a body is read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type HttpServer, listening, MCP_HEADERS, somePage } from './support/http.ts';
import { PROGRAMS, type Program, temporaryFolder } from './support/places.ts';

const KILOBYTE = 1024;
/** What the system keeps of a connection that nobody reads from, on both ends, is less. */
const MAX_SENT = 16 * KILOBYTE * KILOBYTE;

async function serve(t: TestContext, program: Program): Promise<HttpServer> {
  const env = somePage();
  const folder = program === 'native' ? ['--ui-dir', String(env['LIMBIC_TEST_UI'])] : [];
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--ui', '--no-model', ...folder];
  return listening(t, args, env, program);
}

/** A request of JSON-RPC whose body has this length. */
function padded(id: unknown, bytes = 0): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }).padEnd(bytes, ' ');
}

for (const program of PROGRAMS) {
  test(`${program} refuses a message with its id`, async (t) => {
    const server = await serve(t, program);
    const json = { ...MCP_HEADERS };
    const unknown = { ...json, authorization: 'Bearer wrong' };
    const agent = { ...json, ...server.pass };
    const explorer = { ...json, ...server.pagePass };
    const text = { ...agent, 'content-type': 'text/plain' };
    const cases: [path: string, headers: Record<string, string>, body: string, told: string, id: unknown][] = [
      ['/mcp', json, padded(7), '401 unauthorized', 7],
      ['/mcp', unknown, padded('seven'), '401 unauthorized', 'seven'],
      ['/mcp/explorer', unknown, padded(7), '401 unauthorized', 7],
      ['/mcp', explorer, padded(7), '403 forbidden', 7],
      ['/mcp/explorer', agent, padded(7), '403 forbidden', 7],
      ['/mcp', { ...agent, host: 'evil.example' }, padded(7), '403 wrong_host', 7],
      ['/mcp', { ...agent, origin: 'http://evil.example' }, padded(7), '403 wrong_origin', 7],
      ['/mcp', text, padded(7), '415 unsupported_media_type', 7],
      // Up to the limit of what is read.
      ['/mcp', unknown, padded(7, 64 * KILOBYTE), '401 unauthorized', 7],
      ['/mcp', unknown, padded(7, 64 * KILOBYTE + 1), '401 unauthorized', null],
      ['/mcp', text, padded(7, 64 * KILOBYTE + 1), '415 unsupported_media_type', null],
      ['/mcp', agent, padded(7, 33 * KILOBYTE * KILOBYTE), '413 too_large', null],
      ['/mcp', { ...unknown, 'transfer-encoding': 'chunked' }, padded(7), '401 unauthorized', null],
      // What has no id.
      ['/mcp', unknown, '', '401 unauthorized', null],
      ['/mcp', unknown, '{"id": 7,', '401 unauthorized', null],
      ['/mcp', unknown, '["2.0", 7, "ping"]', '401 unauthorized', null],
      ['/mcp', unknown, `[${padded(7)}]`, '401 unauthorized', null],
      ['/mcp', unknown, padded({ a: 1 }), '401 unauthorized', null],
      ['/mcp', unknown, padded(1.5), '401 unauthorized', null],
      ['/mcp', unknown, '{"jsonrpc": "2.0", "id": 7, "result": {}}', '401 unauthorized', null],
    ];
    for (const [path, headers, body, told, id] of cases) {
      const reply = await server.send(path, { method: 'POST', headers, body });
      const what = `${path} ${JSON.stringify(headers)} ${body.slice(0, 60)}: ${reply.body}`;
      const answer = JSON.parse(reply.body.toString()) as { jsonrpc?: string; id?: unknown; error: { code: number } };
      assert.equal(`${reply.status} ${reply.code}`, told, what);
      assert.deepEqual([answer.jsonrpc, answer.id, answer.error.code], ['2.0', id, -32_000], what);
    }
    for (const path of ['/api/tokens', '/nothing']) {
      const reply = await server.send(path, { method: 'POST', headers: unknown, body: padded(7) });
      assert.deepEqual(Object.keys(JSON.parse(reply.body.toString()) as object).sort(), ['code', 'error'], path);
    }
  });

  test(`${program} reads no endless body of a client without access`, async (t) => {
    const server = await serve(t, program);
    const chunk = `10000\r\n${'x'.repeat(64 * KILOBYTE)}\r\n`;
    for (const [method, path, status] of [
      ['POST', '/mcp', 401],
      ['GET', '/mcp', 401],
      ['POST', '/mcp/explorer', 401],
      ['POST', '/api/tokens', 401],
      ['POST', '/', 405],
      ['GET', '/', 200],
      ['GET', '/nothing', 404],
    ] as const) {
      const socket = connect(server.port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.once('close', resolve));
      let [received, sent] = ['', 0];
      socket.on('error', () => {});
      socket.on('data', (piece) => {
        received += piece.toString('latin1');
      });
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
          'Transfer-Encoding: chunked\r\n\r\n',
      );
      await once(socket, 'data');
      assert.match(received, new RegExp(`^HTTP/1.1 ${status} `), `${method} ${path}: ${received}`);
      if (method === 'POST' && path.startsWith('/mcp'))
        assert.match(received, /\r\nconnection: close\r\n/i, `${method} ${path}: ${received}`);
      const send = (): void => {
        while (sent < MAX_SENT && !socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', send);
      send();
      await closed;
      assert.ok(sent < MAX_SENT, `${method} ${path}: ${sent} bytes were read`);
    }
    // An authorised client keeps its connection.
    const ping = await server.send('/api/status', { headers: { ...server.pagePass, connection: 'keep-alive' } });
    assert.deepEqual([ping.status, ping.headers.connection === 'close'], [200, false]);
  });
}
