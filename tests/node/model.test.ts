import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, entities, eventually } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

const MODEL = join(PACKAGE, 'dist', 'model');
const MAX_RESIDENT_BYTES = 300 * 1024 * 1024;

/** Asserts that a server with this model folder falls back to keyword search and reports why. */
async function staysLexical(t: TestContext, model: string, says: RegExp): Promise<void> {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--model', model]);
  await session.ask('create_entities', entities('Ada'));
  await eventually('the reason is reported', () => /keyword search only/.test(session.stderr), 60_000);
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

test('without a model, there is keyword search only', async (t) => {
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
  assert.ok(kilobytes * 1024 < MAX_RESIDENT_BYTES, `resident: ${Math.round(kilobytes / 1024)} MB`);
});

/** A folder with the packaged model and a configuration of its own. */
function configured(name: string, content: unknown): string {
  const folder = temporaryFolder();
  for (const file of ['model.onnx', 'tokenizer.json']) copyFileSync(join(MODEL, file), join(folder, file));
  writeFileSync(join(folder, name), JSON.stringify(content));
  return folder;
}

test('the configuration beside a model is used, and a database takes vectors of its width', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const folder = configured('limbic.json', { pooling: 'cls', query_prefix: 'query: ', dimensions: 128 });
  const ours = await connect(t, ['--db', db, '--settle']);
  await ours.ask('create_entities', entities('Ada', 'Grace'));
  await ours.leave();
  const session = await connect(t, ['--db', db, '--settle', '--model', folder]);
  const found = await session.ask('search_semantic', { query: 'Ada' });
  assert.equal(found['mode'], 'hybrid');
  assert.equal(found['pending_embeddings'], 0);
  assert.equal((found['results'] as { name: string }[])[0]?.name, 'Ada');
  assert.doesNotMatch(session.stderr, /keyword search only|failed/);
});

test('model check reports the contents of a folder, and its errors', () => {
  const check = (...args: string[]): Ran => run(['model', 'check', ...args]);
  const good = check(configured('config.json', { _name_or_path: 'somebody/mine' }), '--model-dimensions', '64');
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /^model +mine@[0-9a-f]{16}\nwidth +64, truncated from 384\npooling +mean\n/);
  assert.match(good.stdout, /WordPiece, 30522 tokens/);
  assert.match(good.stdout, /12 words in [0-9.]+ ms/);
  const bad = check(configured('modules.json', [{ type: 'sentence_transformers.models.Dense' }]));
  assert.equal(bad.status, 2);
  assert.match(bad.stderr, /modules\.json: the module Dense is not supported/);
});
