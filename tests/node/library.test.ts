/** `import { open } from 'limbic-memory'`: the tools as methods, in this process. */
import assert from 'node:assert/strict';
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
  await memory.memory_store({ content: 'Deploys run on Tuesdays' });
  const { memories } = await memory.memory_recall({ query: 'when do deploys run?' });
  assert.equal(memories.length, 1);
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
