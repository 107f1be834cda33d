/** Output that is closed or whose disk is full: of the log, the server goes on; of the protocol, it ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { INITIALIZE } from './support/http.ts';
import { SERVER, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

const FULL = '/dev/full';
const skip = !existsSync(FULL) && 'there is no full device';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test('a log on a full disk does not end the server', { skip }, async () => {
  const full = openSync(FULL, 'w');
  const args = [SERVER, '--db', join(temporaryFolder(), 'memory.db'), '--no-model'];
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', full] });
  closeSync(full);
  server.stdin?.end(`${INITIALIZE}\nnot JSON\n${PING}\n`);
  const [output, [code]] = await Promise.all([text(server.stdout ?? Readable.from([])), once(server, 'exit')]);
  assert.equal(code, 0, output);
  assert.ok(output.includes('"id":1}'), output);
});

test('a log that nobody reads does not end the server', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  server.process.stderr.destroy();
  await server.initialize();
  server.line('not JSON');
  server.line('not JSON either');
  server.call('after', 'read_graph', {});
  await server.answer('after');
  server.process.stdin.end();
  assert.equal(await server.ended(), 0);
});

test('a client that no longer reads ends the server, though it keeps the input open', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  await server.initialize();
  const exited = once(server.process, 'exit');
  server.process.stdout.destroy();
  server.line(PING);
  assert.deepEqual((await exited)[0], 0);
});

test('output on a full disk ends the server', { skip }, async () => {
  const full = openSync(FULL, 'w');
  const args = [SERVER, '--db', join(temporaryFolder(), 'memory.db'), '--no-model'];
  const server = spawn(process.execPath, args, { stdio: ['pipe', full, 'ignore'] });
  closeSync(full);
  server.stdin?.on('error', () => {});
  server.stdin?.write(`${INITIALIZE}\n`);
  assert.deepEqual((await once(server, 'exit'))[0], 0);
});
