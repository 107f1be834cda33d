import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../../node/src/new-database.ts';
import { connect, entities, namesOf } from './support/client.ts';
import { inspect } from './support/inspect.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

const EMPTY = join(PACKAGE, 'dist', 'empty.db');
/** The time in the empty database. */
const CREATED = '1970-01-01T00:00:00.000Z';
const SERVERS = 8;
const KILLS = 12;

test('a new database is the empty one at the present time, for its owner only', () => {
  const folder = temporaryFolder();
  const db = join(folder, 'memory.db');
  const before = new Date().toISOString();
  createDatabase(db, EMPTY);
  const after = new Date().toISOString();
  assert.deepEqual(readdirSync(folder), ['memory.db']);
  if (process.platform !== 'win32') assert.equal(statSync(db).mode & 0o777, 0o600);
  const [empty, found] = [EMPTY, db].map((path) => readFileSync(path, 'latin1'));
  const created = found?.match(/20\d\d-\d\d-\d\dT[\d:.]+Z/)?.[0] ?? '';
  assert.ok(before <= created && created <= after, created);
  assert.ok(empty?.includes(CREATED));
  assert.ok(found?.replaceAll(created, CREATED) === empty, 'the rest is unchanged');
});

test('what is at the path is kept, and nothing is created beside the journal of another database', () => {
  for (const name of ['memory.db', 'memory.db-journal', 'memory.db-wal']) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), 'a file');
    createDatabase(join(folder, 'memory.db'), EMPTY);
    assert.deepEqual(readdirSync(folder), [name]);
    assert.equal(readFileSync(join(folder, name), 'utf8'), 'a file');
  }
});

test('without the empty database, or without the folder, nothing is created', () => {
  const folder = temporaryFolder();
  createDatabase(join(folder, 'memory.db'), join(folder, 'none'));
  createDatabase(join(folder, 'none', 'memory.db'), EMPTY);
  assert.deepEqual(readdirSync(folder), []);
});

test('what processes left that were killed while they created the database is removed', () => {
  const folder = temporaryFolder();
  for (const name of ['memory.db-creating-1', 'memory.db-creating-2', 'other.db-creating-1']) {
    writeFileSync(join(folder, name), 'half');
  }
  createDatabase(join(folder, 'memory.db'), EMPTY);
  assert.deepEqual(readdirSync(folder).sort(), ['memory.db', 'other.db-creating-1']);
  writeFileSync(
    join(folder, 'memory.db-creating-3'),
    'a copy of a process that was killed after another had been first',
  );
  createDatabase(join(folder, 'memory.db'), EMPTY);
  assert.deepEqual(readdirSync(folder).sort(), ['memory.db', 'other.db-creating-1']);
});

test('a server creates a database with the present time, and one beside an old journal in another way', async (t) => {
  for (const hasJournal of [false, true]) {
    const folder = temporaryFolder();
    const db = join(folder, 'memory.db');
    if (hasJournal) writeFileSync(`${db}-journal`, '');
    const before = new Date().toISOString();
    const session = await connect(t, ['--db', db, '--no-model']);
    const { domains } = (await session.ask('list_domains')) as { domains: { id: string; created: string }[] };
    assert.deepEqual(
      domains.map(({ id }) => id),
      ['general'],
    );
    const created = domains[0]?.created ?? '';
    assert.ok(before <= created && created <= new Date().toISOString(), created);
    await session.ask('create_entities', entities('Ada'));
    await session.leave();
    const { integrity, names } = await inspect(db);
    assert.deepEqual([integrity, names], ['ok', ['Ada']]);
    if (process.platform !== 'win32') assert.equal(statSync(db).mode & 0o777, 0o600);
    assert.ok(!readFileSync(db, 'latin1').includes(CREATED));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('-creating-')),
      [],
    );
  }
});

test('servers that start at the same moment share one new database', async (t) => {
  const folder = temporaryFolder();
  const db = join(folder, 'new', 'memory.db');
  mkdirSync(join(folder, 'new'));
  const numbers = Array.from({ length: SERVERS }, (_, number) => number);
  const sessions = await Promise.all(
    numbers.map(async (number) => {
      const session = await connect(t, ['--db', db, '--no-model']);
      await session.ask('create_entities', entities(`entity ${number}`));
      return session;
    }),
  );
  for (const session of sessions) {
    assert.deepEqual(
      await namesOf(session),
      numbers.map((number) => `entity ${number}`),
    );
  }
  await Promise.all(sessions.map((session) => session.leave()));
  const { integrity, names } = await inspect(db);
  assert.deepEqual([integrity, names.length], ['ok', SERVERS]);
  assert.deepEqual(
    readdirSync(join(folder, 'new')).filter((name) => name.includes('-creating-')),
    [],
  );
});

test('a server that is killed while it creates the database leaves none or a whole one', async (t) => {
  let isCopySeen = false;
  for (let kill = 0; kill < KILLS; kill++) {
    const folder = temporaryFolder();
    const db = join(folder, 'memory.db');
    const killed = start(t, ['--db', db, '--no-model']);
    const begun = (): boolean => {
      const names = readdirSync(folder);
      isCopySeen ||= names.some((name) => name.startsWith('memory.db-creating-'));
      return names.some((name) => name.startsWith('memory.db'));
    };
    while (!begun() && killed.process.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, kill));
    killed.process.kill('SIGKILL');
    await killed.ended();
    const next = await connect(t, ['--db', db, '--no-model']);
    await next.ask('create_entities', entities('Ada'));
    await next.leave();
    assert.deepEqual((await inspect(db)).integrity, 'ok');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('-creating-')),
      [],
      `kill ${kill}`,
    );
  }
  assert.ok(isCopySeen, 'servers create databases as copies of the empty one');
});
