/** `limbic-memory audit`, `check` and `compact`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from './support/client.ts';
import { temporaryFolder } from './support/places.ts';
import { run } from './support/run.ts';

test('the audit log is printed, newest first, without texts', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  assert.equal(run(['audit', '--db', db]).status, 2);
  const server = await connect(t, ['--db', db, '--no-model']);
  await server.ask('memory_store', { id: 'a', content: 'The office is in Lisbon', user_id: 'ada' });
  await server.ask('memory_store', { id: 'b', content: 'The office is in Porto', user_id: 'bob' });
  await server.ask('memory_forget', { id: 'a', reason: 'Asked for' });
  await server.leave();
  const lines = (...args: string[]): Record<string, unknown>[] =>
    run(['audit', '--db', db, ...args])
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const all = lines();
  assert.deepEqual(
    all.map(({ action, memory_id, user_id, reason }) => [action, memory_id, user_id, reason]),
    [
      ['forget', 'a', 'ada', 'Asked for'],
      ['store', 'b', 'bob', null],
      ['store', 'a', 'ada', null],
    ],
  );
  assert.equal(lines('--user', 'bob').length, 1);
  assert.equal(lines('--memory', 'a').length, 2);
  assert.equal(lines('--limit', '1').length, 1);
  assert.equal(lines('--origin', 'client:limbic-tests', '--user', 'ada').length, 2);
  assert.equal(run(['audit', '--db', db, '--origin', 'client:other']).stdout, '');
  assert.ok(!JSON.stringify(all).includes('Lisbon'));
  assert.equal(run(['audit', '--db', db, '--limit', '0']).status, 2);
});

test('compacting keeps stored records and removes bytes of deleted ones', async (t) => {
  const folder = temporaryFolder();
  const db = join(folder, 'memory.db');
  assert.equal(run(['compact', '--db', db]).status, 2);
  const server = await connect(t, ['--db', db, '--no-model']);
  await server.ask('memory_store', { id: 'a', content: 'The office is in Lisbon' });
  await server.ask('memory_store', { id: 'b', content: 'The office is in Porto' });
  await server.ask('memory_forget', { id: 'a' });
  await server.leave();
  const text = (): string =>
    ['memory.db', 'memory.db-journal'].map((name) => readFileSync(join(folder, name), 'latin1')).join('');
  assert.ok(!text().includes('Lisbon'));
  const compacted = run(['compact', '--db', db]);
  assert.equal(compacted.status, 0, compacted.stderr);
  assert.match(compacted.stderr, /compacted \d+ bytes to \d+/);
  assert.ok(!text().includes('Lisbon') && text().includes('Porto'));
});

test('a check reports damage of the file and nothing of a sound one', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  assert.equal(run(['check', '--db', db]).status, 2);
  const server = await connect(t, ['--db', db, '--no-model']);
  for (let number = 0; number < 20; number++) {
    await server.ask('memory_store', { content: `Shelf ${number} holds the maps of region ${number}` });
  }
  await server.leave();
  const sound = run(['check', '--db', db]);
  assert.deepEqual([sound.status, sound.stdout], [0, ''], sound.stderr);
  assert.match(sound.stderr, /no damage found in \d+ pages/);
  const bytes = readFileSync(db);
  const at = bytes.lastIndexOf('Shelf 7 holds');
  assert.ok(at > 0);
  const page = at - (at % 4096);
  bytes.fill(0xff, page, page + 16);
  writeFileSync(db, bytes);
  const damaged = run(['check', '--db', db]);
  assert.equal(damaged.status, 1, damaged.stderr);
  assert.match(damaged.stdout, /\S/);
  assert.match(damaged.stderr, /the database is damaged\. Keep a copy of it/);
});
