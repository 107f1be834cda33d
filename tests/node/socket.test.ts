/** Unix sockets that only their owner can connect to. */
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { listenOnSocket } from '../../node/src/http/socket.ts';
import { temporaryFolder } from './support/places.ts';

const RIGHTS = 0o777;
const OTHERS = 0o077;

test('while a socket is created, others cannot open it, and folders keep the rights of their owner', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = temporaryFolder();
  const [path, made] = [join(folder, 'limbic.sock'), join(folder, 'made')];
  const server = createServer();
  t.after(() => server.close());
  const earlier = process.umask(0);
  t.after(() => process.umask(earlier));
  let first = RIGHTS;
  const { listen } = server;
  // The mask is one of the process: threads create folders meanwhile.
  t.mock.method(server, 'listen', (...args: Parameters<typeof listen>) => {
    mkdirSync(made, { mode: 0o700 });
    Reflect.apply(listen, server, args);
    first = lstatSync(path).mode & RIGHTS;
    return server;
  });
  await listenOnSocket(server, path);
  assert.equal(statSync(made).mode & RIGHTS, 0o700);
  assert.equal(first & OTHERS, 0);
  assert.equal(lstatSync(path).mode & RIGHTS, 0o600);
  assert.equal(process.umask(), 0);
});
