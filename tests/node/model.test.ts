import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, entities, eventually } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const MODEL = join(PACKAGE, 'dist', 'model');
const RESIDENT_BYTES_MAX = 300 * 1024 * 1024;

/** With this model folder the server says why it searches by words, and works. */
async function staysLexical(t: TestContext, model: string, says: RegExp): Promise<void> {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--model', model]);
  await session.ask('create_entities', entities('Ada'));
  await eventually('the reason is told', () => /search uses words only/.test(session.stderr), 60_000);
  assert.match(session.stderr, says);
  const found = await session.ask('search_semantic', { query: 'Ada' });
  assert.equal(found['mode'], 'lexical');
  assert.equal((found['results'] as unknown[]).length, 1);
}

test('a folder without a model disables semantic search', (t) => staysLexical(t, temporaryFolder(), /model\.onnx/));

test('a damaged model disables semantic search', async (t) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'model.onnx'), readFileSync(join(MODEL, 'model.onnx')).subarray(0, 100_000));
  copyFileSync(join(MODEL, 'tokenizer.json'), join(folder, 'tokenizer.json'));
  await staysLexical(t, folder, /model_unusable/);
});

test('an invalid tokenizer disables semantic search', async (t) => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(MODEL, 'model.onnx'), join(folder, 'model.onnx'));
  writeFileSync(join(folder, 'tokenizer.json'), '{"model": "none"}');
  await staysLexical(t, folder, /model_unusable/);
});

test('without a model, search uses words only', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--settle']);
  await session.ask('create_entities', entities('Ada'));
  assert.equal((await session.ask('search_semantic', { query: 'Ada' }))['mode'], 'lexical');
});

test('the packaged model finds by meaning within the memory limit', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--settle']);
  await session.ask('create_entities', {
    entities: [
      { name: 'Car', entityType: 'Thing', observations: ['The engine of my automobile does not start'] },
      { name: 'Soup', entityType: 'Thing', observations: ['Boil carrots and onions with salt'] },
      { name: 'Invoice', entityType: 'Thing', observations: ['The bill was paid in March'] },
    ],
  });
  const found = await session.client.callTool(
    { name: 'search_semantic', arguments: { query: 'vehicle that will not run' } },
    undefined,
    { timeout: 120_000 },
  );
  const value = found['structuredContent'] as { mode: string; results: { name: string }[] };
  assert.equal(value.mode, 'hybrid');
  assert.equal(value.results[0]?.name, 'Car');
  const status = `/proc/${session.pid}/status`;
  if (!existsSync(status)) return;
  const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]);
  assert.ok(kilobytes * 1024 < RESIDENT_BYTES_MAX, `resident: ${Math.round(kilobytes / 1024)} MB`);
});
