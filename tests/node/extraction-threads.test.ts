/** The threads that extract facts ahead of the core's thread. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { CodeModule } from 'limbic-shell/code-module.ts';
import { Database } from '../../node/src/core/database.ts';
import { ExtractionPrefetch } from '../../node/src/core/extraction-prefetch.ts';
import type { CoreSettings } from '../../node/src/messages.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const packaged = (name: string): string => join(PACKAGE, 'dist', name);
const WASM = packaged('limbic_code.wasm');
const WASM_MORE = packaged('limbic_code_more.wasm');

/** More than two steps of indexing: the files of a step are extracted during the one before. */
const FILES = 450;
/** Attempts until a thread has extracted a file before the core's own thread began it. */
const MAX_ATTEMPTS = 20;

test('the facts of files that a step needs come from another thread', async (t) => {
  if (availableParallelism() < 2) return t.skip('on one core, one thread does both');
  const other = await CodeModule.load(readFileSync(WASM));
  let prefetched = 0;
  const { take } = ExtractionPrefetch.prototype;
  const asked = t.mock.method(
    ExtractionPrefetch.prototype,
    'take',
    function (this: ExtractionPrefetch, path: string, content: Uint8Array) {
      const facts = take.call(this, path, content);
      if (facts === undefined) return undefined;
      prefetched += 1;
      assert.deepEqual(Buffer.from(facts), Buffer.from(other.extract(path, content)), path);
      return facts;
    },
  );
  const root = temporaryFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  for (let number = 0; number < FILES; number++) {
    writeFileSync(join(project, `f${number}.py`), `def f${number}(rows):\n    return f${number + 1}(rows)\n`);
  }
  initSync({ module: readFileSync(packaged('limbic_core_bg.wasm')) });
  const settings = {
    db: join(root, 'memory.db'),
    acceptsSharedDisk: false,
    toolsets: ['code'],
    readOnly: false,
    code: { root, wasm: WASM, wasmMore: WASM_MORE, subwords: join(root, 'none') },
  };
  const database = new Database(settings as unknown as CoreSettings);
  const core = database.open();
  for (let attempt = 0; attempt < MAX_ATTEMPTS && prefetched === 0; attempt++) {
    const args = JSON.stringify({ path: project, project_id: 'p', force: true });
    const answer = core.call('index_project', args, new Uint8Array(0), undefined);
    assert.equal(answer.isError, false);
    answer.free();
    while (core.index_step()) {}
  }
  assert.ok(asked.mock.callCount() > 0, 'the core asks for facts that were prepared');
  database.restCode();
  database.close();
  assert.ok(prefetched > 0, 'every file was extracted by the thread of the core');
});
