/** `import { open } from 'limbic-memory'`: the tools as methods, in this process. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Library from '../../node/src/library-types.ts';
import { connect } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const { open, LimbicError } = (await import(pathToFileURL(join(PACKAGE, 'dist', 'index.js')).href)) as typeof Library;

test('every tool is a method, and failures are errors with a code', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  await memory.create_entities({ entities: [{ name: 'Ada', observations: ['wrote notes'] }] });
  const { entities } = await memory.open_nodes({ names: ['Ada'] });
  assert.deepEqual(entities[0]?.observations, ['wrote notes']);
  // Assignments to typed variables: the compiler checks the types of the answers.
  const id: string = (await memory.memory_store({ content: 'Deploys run on Tuesdays' })).memory.id;
  const { memories } = await memory.memory_recall({ query: 'when do deploys run?' });
  const content: string | undefined = memories[0]?.content;
  assert.deepEqual([memories.length, memories[0]?.id, content], [1, id, 'Deploys run on Tuesdays']);
  const { memories: explained } = await memory.memory_recall({ query: 'when do deploys run?', explain: true });
  const importance: number | undefined = explained[0]?.importance;
  const score: number | undefined = explained[0]?.score;
  assert.ok(importance === 1 && score !== undefined && score > 0);
  const changed: string = (await memory.memory_update({ id, content: 'Deploys run on Mondays' })).memory.content;
  assert.equal(changed, 'Deploys run on Mondays');
  const ended = (await memory.memory_invalidate({ id, reason: 'No longer' })).memory.invalidation_reason;
  assert.equal(ended, 'No longer');
  const listed = (await memory.memory_list({ include_expired: true })).memories.map((one): string => one.domain);
  assert.deepEqual(listed, ['general']);
  const both = await memory.memory_store({ memories: [{ content: 'One' }, { content: 'Two' }] });
  assert.equal(both.memories.length, 2);
  const stats = await memory.explore_stats();
  assert.ok(typeof stats === 'object');
  await assert.rejects(memory.memory_get({ ids: [] }), (error) => {
    assert.ok(error instanceof LimbicError);
    assert.equal(error.code, 'invalid_argument');
    return true;
  });
});

test('a server and a library share one file without losing a write', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const memory = await open({ db, model: false });
  t.after(() => memory.close());
  const server = await connect(t, ['--db', db, '--no-model']);
  const names = Array.from({ length: 20 }, (_, index) => `entity ${index}`);
  await Promise.all(
    names.map((name, index) => {
      const call = { entities: [{ name }] };
      return index % 2 === 0 ? memory.create_entities(call) : server.ask('create_entities', call);
    }),
  );
  const { entities } = await memory.open_nodes({ names });
  assert.equal(entities.length, names.length);
});

test('a database that cannot be opened is reported by open, and a closed one by each call', async () => {
  const db = join(temporaryFolder(), 'memory.db');
  await assert.rejects(open({ db: join(db, 'below', 'a', 'file.db'), readOnly: true, model: false }), LimbicError);
  const memory = await open({ db, model: false });
  await memory.memory_store({ content: 'Kept' });
  await Promise.all([memory.close(), memory.close()]);
  await assert.rejects(memory.list_domains(), { code: 'closed' });
  const again = await open({ db, readOnly: true, model: false });
  await assert.rejects(again.memory_store({ content: 'Refused' }), { code: 'read_only' });
  assert.equal((await again.memory_list()).total, 1);
  await again.close();
});

test('an option that does not exist is refused', async () => {
  const db = join(temporaryFolder(), 'memory.db');
  for (const [name, hint] of [
    ['modle', /Did you mean model\?/],
    ['readonly', /Did you mean readOnly\?/],
    ['database', /^The options are db, /],
    ['toString', /^The options are db, /],
  ] as const) {
    await assert.rejects(open({ db, [name]: 1 }), (error) => {
      assert.ok(error instanceof LimbicError);
      assert.deepEqual([error.code, error.message], ['invalid_argument', `open has no option ${JSON.stringify(name)}`]);
      assert.match(error.hint ?? '', hint);
      return true;
    });
  }
  assert.equal(existsSync(db), false);
});

test('a number that JSON does not have is refused', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  for (const importance of [Number.NaN, Infinity, -Infinity]) {
    await assert.rejects(memory.memory_store({ content: 'Kept', importance }), { code: 'invalid_argument' });
    await assert.rejects(memory.memory_store({ memories: [{ content: 'Kept', importance }] }), {
      code: 'invalid_argument',
    });
  }
  assert.equal((await memory.memory_list()).total, 0);
});

test('a signal that many calls have keeps nothing of those that ended', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const { signal } = new AbortController();
  const calls = [memory.memory_list({}, { signal }), memory.memory_list({}, { signal })];
  assert.equal(getEventListeners(signal, 'abort').length, calls.length);
  await Promise.all(calls);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
