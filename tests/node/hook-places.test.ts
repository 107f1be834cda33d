/** How hooks find the server that answers, and what happens when programs end at a bad moment. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KEY_BYTES } from '../../node/src/hook-messages.ts';
import { connect, eventually } from './support/client.ts';
import { assertAnswered, DEPLOYS, NO_MODEL, onUnix, QUESTION, Setting } from './support/hook-server.ts';
import { SERVER } from './support/places.ts';

/** Bytes of the length before a message. */
const LENGTH_BYTES = 4;

/** The path of the only key file. */
function keyFileOf(setting: Setting): string {
  return join(setting.place, setting.files('.key')[0] ?? '');
}

/** The path of the socket that a key file names. */
function socketOf(setting: Setting): string {
  return join(setting.place, readFileSync(keyFileOf(setting)).subarray(KEY_BYTES).toString());
}

/** Listens at a name of its own beside the server's socket, and has hooks connect there. */
async function listenInstead(t: TestContext, setting: Setting, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  t.after(() => server.close());
  const name = '0f-0f.sock';
  server.listen(join(setting.place, name));
  await once(server, 'listening');
  const file = keyFileOf(setting);
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, KEY_BYTES), Buffer.from(name)]));
  return server;
}

async function isAnswered(setting: Setting): Promise<void> {
  await eventually('a server answers', () => /Deploys run/.test(setting.served('user-prompt-submit', QUESTION).stdout));
}

test('servers that start at once after one was killed leave no hook unanswered', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  process.kill(first.pid, 'SIGKILL');
  await eventually('it is gone', () => setting.served('user-prompt-submit', QUESTION).stderr !== '');
  const servers = [setting.start(t), setting.start(t), setting.start(t)];
  await Promise.all(servers.map((server) => server.initialize()));
  await isAnswered(setting);
  // Whichever of them ends, another one answers, and the last one leaves nothing.
  for (const [index, server] of servers.entries()) {
    server.process.stdin.end();
    await server.ended();
    if (index < servers.length - 1) await isAnswered(setting);
  }
  assert.deepEqual(setting.files(''), []);
});

test('a server whose key file is gone answers hooks again', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  rmSync(keyFileOf(setting));
  await isAnswered(setting);
  // As when it lost the place to a server that started at the same moment, and that has ended since.
  const second = await connect(t, ['--db', setting.db, NO_MODEL], setting.env);
  rmSync(keyFileOf(setting));
  await isAnswered(setting);
  await first.leave();
  await isAnswered(setting);
  await second.leave();
  assert.deepEqual(setting.files(''), []);
});

test('a server that ends leaves the key file of another one', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  await listenInstead(t, setting, (socket) => socket.destroy());
  const entry = readFileSync(keyFileOf(setting));
  await server.leave();
  assert.deepEqual(readFileSync(keyFileOf(setting)), entry);
});

test('a server that cannot write its key file does not listen, and hooks open the database', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  const [name = ''] = setting.files('.key');
  await first.leave();
  // Nothing can be renamed to a folder.
  mkdirSync(join(setting.place, name));
  const second = await connect(t, ['--db', setting.db, NO_MODEL], setting.env);
  await eventually('it says so', () => /hooks open the database themselves: /.test(second.stderr));
  assert.deepEqual(setting.files(''), [name]);
  assertAnswered(setting.hook('user-prompt-submit', QUESTION), /Deploys run/);
  await second.leave();
  assert.deepEqual(setting.files(''), [name]);
});

test('marks are stored although the host kills the hook', onUnix, async (t) => {
  const setting = new Setting();
  const server = setting.start(t, [], { LIMBIC_TEST_HANG: 'open_nodes' });
  await server.initialize();
  server.call('first', 'memory_store', { content: DEPLOYS });
  await server.answer('first');
  await setting.listening();
  const real = socketOf(setting);
  // Tells when the server has the request, and that the hook is gone.
  let arrived: () => void = () => {};
  const sent = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await listenInstead(t, setting, (socket) => {
    const forward = connectTo(real);
    let bytes = 0;
    let end = Number.POSITIVE_INFINITY;
    socket.on('data', (piece: Buffer) => {
      if (bytes === 0) end = LENGTH_BYTES + piece.readUInt32LE();
      bytes += piece.length;
      forward.write(piece, () => {
        if (bytes >= end) arrived();
      });
    });
    for (const one of [socket, forward]) one.on('error', () => {});
    socket.on('close', () => forward.destroy());
  });
  server.call('hanging', 'open_nodes', { names: ['x'] });
  const transcript_path = join(setting.folder, 'session.jsonl');
  writeFileSync(transcript_path, JSON.stringify({ type: 'user', message: { content: '@keep One file per tool' } }));
  const hook = spawn(process.execPath, [setting.withoutCore, 'hook', 'session-end', '--db', setting.db], {
    env: { ...process.env, ...setting.env },
  });
  hook.stdin.end(JSON.stringify({ cwd: setting.folder, transcript_path }));
  await sent;
  hook.kill('SIGKILL');
  await once(hook, 'close');
  server.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'hanging' } }));
  await eventually('the mark is stored', () => {
    const { stdout } = setting.hook('session-start', {}, [], { LIMBIC_TEST_HOOK_MILLIS: '200' });
    return /One file per tool/.test(stdout);
  });
});

test('a hook whose server is silent opens the database', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  let asked = 0;
  await listenInstead(t, setting, () => {
    asked += 1;
  });
  const transcript_path = join(setting.folder, 'session.jsonl');
  writeFileSync(transcript_path, JSON.stringify({ type: 'user', message: { content: '@keep One file per tool' } }));
  // With the limits that hooks of users have. A hook in a process of its own lets this one accept.
  const runs = async (hook: string, event: object): Promise<string> => {
    const { LIMBIC_TEST_HOOK_MILLIS: _, ...env } = { ...process.env, ...setting.env };
    const child = spawn(process.execPath, [SERVER, 'hook', hook, '--db', setting.db], { env });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    child.stdin.end(JSON.stringify({ cwd: setting.folder, ...event }));
    assert.deepEqual(await once(child, 'close'), [0, null]);
    return output;
  };
  assert.match(await runs('user-prompt-submit', QUESTION), /Deploys run/);
  assert.equal(await runs('session-end', { transcript_path }), '');
  assert.match(await runs('session-start', {}), /One file per tool/);
  assert.equal(asked >= 3, true, 'each has asked');
});

test('a server that starts before its folder exists is found through a link', onUnix, async (t) => {
  const setting = new Setting();
  const [real, link] = [join(setting.folder, 'real'), join(setting.folder, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  setting.db = join(link, 'new', 'memory.db');
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
  setting.db = join(real, 'new', 'memory.db');
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
});
