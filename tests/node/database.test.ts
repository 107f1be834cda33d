import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, entities, namesOf, type Session } from './support/client.ts';
import { temporaryFolder } from './support/places.ts';

/** Asserts that a server on this path runs, lists its tools, and rejects each call with this code. */
async function refuses(t: TestContext, db: string, code: RegExp): Promise<Session> {
  const session = await connect(t, ['--db', db, '--no-model']);
  assert.ok((await session.client.listTools()).tools.length > 0);
  for (let call = 0; call < 2; call++) {
    const answer = await session.call('create_entities', entities('Ada'));
    assert.equal(answer.isError, true, answer.text);
    assert.match(String(answer.value['code']), code, answer.text);
    assert.ok(String(answer.value['error']).length > 20, 'a sentence that says what to do');
  }
  return session;
}

/** Creates a valid database with one entity. */
async function filled(t: TestContext, db: string): Promise<void> {
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_entities', entities('Ada'));
  await session.leave();
}

test('a path that is a folder is rejected', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  mkdirSync(db);
  const session = await refuses(t, db, /^cannot_open$/);
  // The same server works once the cause is removed.
  rmSync(db, { recursive: true });
  await session.ask('create_entities', entities('Ada'));
});

test('a path below a file is rejected', async (t) => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'a file');
  await refuses(t, join(file, 'memory.db'), /^cannot_open$/);
  assert.equal(readFileSync(file, 'utf8'), 'a file');
});

test('a file that is not a database is rejected', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const text = 'A letter to my grandmother. '.repeat(1000);
  writeFileSync(db, text);
  await refuses(t, db, /^not_a_database$/);
  assert.equal(readFileSync(db, 'utf8'), text);
});

test('a file that seems encrypted is rejected as such', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const bytes = randomBytes(8192);
  writeFileSync(db, bytes);
  await refuses(t, db, /^encrypted_database$/);
  assert.deepEqual(readFileSync(db), bytes);
});

test('a database of a newer version is rejected', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  await filled(t, db);
  const bytes = readFileSync(db);
  bytes.writeUInt32BE(9999, 60);
  writeFileSync(db, bytes);
  await refuses(t, db, /^newer_version$/);
  assert.deepEqual(readFileSync(db), bytes);
});

test('a truncated database is rejected', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  await filled(t, db);
  truncateSync(db, Math.floor(readFileSync(db).length / 2));
  const bytes = readFileSync(db);
  await refuses(t, db, /^(database_damaged|not_a_database)$/);
  assert.deepEqual(readFileSync(db), bytes);
});

test('a database without write permission is rejected for writes', {
  skip: process.platform === 'win32',
}, async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  await filled(t, db);
  chmodSync(db, 0o400);
  const reader = await connect(t, ['--db', db, '--read-only', '--no-model']);
  assert.deepEqual(await namesOf(reader), ['Ada']);
  // The superuser may write to it regardless.
  if (process.getuid?.() === 0) return;
  const session = await connect(t, ['--db', db, '--no-model']);
  assert.match(await session.refused('create_entities', entities('Grace')), /read_only|cannot_open/);
});

test('a missing database is not created for reading', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--read-only', '--no-model']);
  assert.equal(await session.refused('read_graph'), 'cannot_open');
  await filled(t, `${db}.made`);
  renameSync(`${db}.made`, db);
  assert.deepEqual(await namesOf(session), ['Ada']);
});

test('a full disk is reported', async (t) => {
  const folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2M', 'tmpfs', folder]).status !== 0) {
    t.skip('a small disk can only be mounted by root on Linux');
    return;
  }
  t.after(() => spawnSync('umount', ['--lazy', folder]));
  const db = join(folder, 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model']);
  const stored: string[] = [];
  let refusal: unknown;
  for (let i = 0; refusal === undefined && i < 1000; i++) {
    const answer = await session.call('create_entities', {
      entities: [{ name: `entity ${i}`, observations: ['x'.repeat(5000)] }],
    });
    if (answer.isError) refusal = answer.value['code'];
    else stored.push(`entity ${i}`);
  }
  assert.equal(refusal, 'disk_full');
  stored.sort();
  assert.deepEqual(await namesOf(session), stored, 'alive, and nothing is lost');
  await session.leave();
  const next = await connect(t, ['--db', db, '--no-model']);
  assert.deepEqual(await namesOf(next), stored);
  await next.leave();
});

test('when the file was replaced, a session continues in its domain', {
  // An open file cannot be replaced.
  skip: process.platform === 'win32',
}, async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_domain', { id: 'work' });
  await session.ask('select_domain', { id: 'work' });
  copyFileSync(db, `${db}.copy`);
  renameSync(`${db}.copy`, db);
  assert.equal(await session.refused('memory_store', { content: 'Boats sail at dawn' }), 'database_moved');
  await session.ask('memory_store', { content: 'Boats sail at dawn' });
  assert.equal((await session.ask('list_domains'))['current'], 'work');
});
