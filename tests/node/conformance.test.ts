/**
 * The protocol's own tests of a server, over HTTP. They send no token, so a proxy adds it. The expected failures need
 * tools, resources and prompts that only a server for these tests has: see tests/files/conformance.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type HttpServer, listening } from './support/http.ts';
import { PACKAGE, PROGRAMS, temporaryFolder } from './support/places.ts';

const TESTS = join(PACKAGE, '..', 'tests');
const CONFORMANCE = join(TESTS, 'out', 'conformance', 'dist', 'index.mjs');

/** A proxy that adds the token and changes nothing else. Returns its port. */
async function proxyTo(server: HttpServer, close: (end: () => void) => void): Promise<number> {
  const proxy = createServer((request, response) => {
    const { method, url, headers } = request;
    const forwarded = httpRequest(
      { host: '127.0.0.1', port: server.port, path: url, method, headers: { ...headers, ...server.pass } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        response.on('close', () => answer.destroy());
      },
    );
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  close(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return (proxy.address() as AddressInfo).port;
}

const RUNS = PROGRAMS.flatMap((program) => ['2025-11-25', '2026-07-28'].map((revision) => ({ program, revision })));

for (const { program, revision } of RUNS) {
  test(`the server conforms to ${revision} (${program})`, async (t) => {
    const folder = temporaryFolder();
    const options = ['--db', join(folder, 'memory.db'), '--http', '0', '--no-model'];
    const server = await listening(t, options, {}, program);
    const port = await proxyTo(server, (end) => t.after(end));
    const args = [
      ...['server', '--url', `http://127.0.0.1:${port}/mcp`, '--requirements', revision],
      ...['--expected-failures', join(TESTS, 'files', 'conformance', `${revision}.yaml`), '--output-dir', folder],
    ];
    const run = spawn(process.execPath, [CONFORMANCE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(run, 'close')) as [number | null];
    assert.equal(code, 0, output);
  });
}
