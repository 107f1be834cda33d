import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileHostError, createFileHost } from '../../node/src/file-host.ts';
import type { FailureKind } from '../../node/src/file-host.ts';
import { temporaryFolder } from './support/places.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function fails(kind: FailureKind, work: () => unknown): void {
  assert.throws(work, (error) => error instanceof FileHostError && error.kind === kind, kind);
}

test('bytes are read at the offset at which they were written', () => {
  const host = createFileHost();
  const file = host.open(join(temporaryFolder(), 'f'), 'create');
  host.writeAt(file, bytes('hello'), 3);
  host.writeAt(file, bytes('J'), 3);
  const buffer = new Uint8Array(16);
  assert.equal(host.readAt(file, buffer, 0), 8);
  assert.equal(new TextDecoder().decode(buffer.subarray(0, 8)), '\0\0\0Jello');
  assert.equal(host.readAt(file, buffer, 100), 0);
  host.truncate(file, 4);
  host.sync(file);
  assert.equal(host.size(file), 4);
  host.close(file);
});

test('failures have the kinds of the core', () => {
  const host = createFileHost();
  const folder = temporaryFolder();
  const path = join(folder, 'f');
  fails('not-found', () => host.open(path, 'read'));
  fails('not-found', () => host.open(path, 'write'));
  fails('not-found', () => host.open(join(folder, 'none', 'f'), 'create'));
  fails('not-found', () => host.delete(path));
  fails('not-found', () => host.list(join(folder, 'none')));
  for (const mode of ['read', 'write', 'create'] as const) fails('is-folder', () => host.open(folder, mode));
  host.create(path, bytes(''));
  fails('exists', () => host.open(path, 'create-new'));
  fails('exists', () => host.create(path, bytes('')));
  fails('exists', () => host.link(path, path));
  fails('exists', () => host.deleteFolder(folder));
  assert.equal(host.stat(join(folder, 'none')), undefined);
  assert.equal(host.may(join(folder, 'none'), false), false);
});

test('created files are accessible to this user only', { skip: process.platform === 'win32' }, () => {
  const host = createFileHost();
  const folder = temporaryFolder();
  host.createFolder(join(folder, 'inner'));
  host.create(join(folder, 'inner', 'f'), bytes('x'));
  assert.equal(statSync(join(folder, 'inner')).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'inner', 'f')).mode & 0o777, 0o600);
});

test('a hard link appears once, with its content, and changes the metadata of its file', () => {
  const host = createFileHost();
  const folder = temporaryFolder();
  const [own, lock] = [join(folder, 'own'), join(folder, 'lock')];
  host.create(own, bytes('text'));
  const before = host.stat(own)?.changedMillis;
  host.sleepMicros(20_000);
  host.link(own, lock);
  assert.notEqual(host.stat(own)?.changedMillis, before);
  assert.equal(new TextDecoder().decode(host.read(lock)), 'text');
});

test('an open file is distinguished from one renamed over it, and its hard links are counted', () => {
  const host = createFileHost();
  const folder = temporaryFolder();
  const [path, other] = [join(folder, 'f'), join(folder, 'g')];
  host.create(other, bytes('other'));
  const file = host.open(path, 'create');
  const inPlace = (): boolean => host.stat(path)?.inode === host.statOpen(file).inode;
  assert.equal(host.stat(path)?.device, host.statOpen(file).device);
  assert.equal(inPlace(), true);
  host.link(path, join(folder, 'h'));
  assert.equal(host.stat(path)?.links, 2);
  renameSync(other, path);
  assert.equal(inPlace(), false);
  host.close(file);
});

test('a process is identified by its start time, and not running after it was killed', async () => {
  const host = createFileHost();
  const me = host.identity();
  assert.equal(host.processStart(me.pid, true), me.start);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const pid = child.pid ?? 0;
  assert.notEqual(host.processStart(pid, false), '');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('exit', resolve));
  assert.equal(host.processStart(pid, false), '');
});

test('a beacon is held until its process ends, even while it is stopped', async () => {
  const host = createFileHost();
  const path = join(temporaryFolder(), 'beacon');
  assert.equal(host.beacon(path), 'unknown');
  const file = host.holdBeacon(path);
  assert.equal(host.beacon(path), 'held');
  host.close(file);
  assert.equal(host.beacon(path), 'released');
  fails('not-found', () => host.holdBeacon(join(path, '..', 'none', 'beacon')));
  fails('exists', () => host.holdBeacon(path));
  if (process.platform === 'win32') return;
  const hold =
    'const { openSync, constants } = require("node:fs"); openSync(process.argv[1], constants.O_RDONLY | constants.O_NONBLOCK);';
  const child = spawn(process.execPath, ['-e', `${hold} console.log("held"); setInterval(() => {}, 1000)`, path]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGSTOP');
  assert.equal(host.beacon(path), 'held');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('exit', resolve));
  assert.equal(host.beacon(path), 'released');
  const plain = join(temporaryFolder(), 'plain');
  host.create(plain, bytes(''));
  assert.equal(host.beacon(plain), 'unknown');
});

test('no program is started for a beacon in a missing folder', { skip: process.platform === 'win32' }, () => {
  const host = createFileHost();
  const folder = temporaryFolder();
  const path = process.env['PATH'];
  // There is no mkfifo, which counts as a platform without named pipes.
  process.env['PATH'] = folder;
  try {
    fails('not-found', () => host.holdBeacon(join(folder, 'none', 'beacon')));
    fails('unsupported', () => host.holdBeacon(join(folder, 'beacon')));
  } finally {
    process.env['PATH'] = path;
  }
});

test('a host that is abandoned leaves the locks that others have taken', () => {
  const host = createFileHost();
  const folder = join(temporaryFolder(), 'd-locks');
  mkdirSync(folder);
  const own = join(folder, 'owner-1');
  host.holdBeacon(join(folder, 'beacon-1-0'));
  host.create(own, bytes('text'));
  host.link(own, join(folder, 'reserved'));
  rmSync(join(folder, 'reserved'));
  createFileHost().create(join(folder, 'reserved'), bytes('another'));
  host.abandon();
  assert.deepEqual(readdirSync(folder), ['reserved']);
});

test('an abandoned host leaves no lock and no open file', () => {
  const host = createFileHost();
  const folder = join(temporaryFolder(), 'd-locks');
  mkdirSync(folder);
  const own = join(folder, 'owner-1');
  const content = bytes('text');
  host.create(own, content);
  // The core passes views of its memory.
  content.fill(0);
  for (const name of ['shared-1', 'reserved', 'pending']) host.link(own, join(folder, name));
  const file = host.open(join(folder, '..', 'd'), 'create');
  host.abandon();
  assert.deepEqual(readdirSync(folder), []);
  fails('io', () => host.size(file));
});
