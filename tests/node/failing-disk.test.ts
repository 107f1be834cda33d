/** Failing syncs: a write that was reported as failed never becomes visible, and an acknowledged one is kept. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Core, initSync } from 'limbic-pkg/core/limbic_core.js';
import { type FileHost, FileHostError, createFileHost } from '../../node/src/file-host.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

interface Graph {
  readonly entities: readonly { readonly name: string }[];
}

function call(core: Core, tool: string, args: object): { isError: boolean; json: string } {
  const answer = core.call(tool, JSON.stringify(args), []);
  return { isError: answer.isError, json: answer.takeText() };
}

function create(core: Core, name: string): { isError: boolean; json: string } {
  return call(core, 'create_entities', { entities: [{ name, observations: ['a fact'] }] });
}

function namesIn(core: Core): string[] {
  const { isError, json } = call(core, 'read_graph', { limit: 100 });
  assert.equal(isError, false, json);
  return (JSON.parse(json) as Graph).entities.map(({ name }) => name).sort();
}

test('if any sync of a write fails, the whole write is rejected and the next one is stored', () => {
  initSync({ module: readFileSync(join(PACKAGE, 'dist', 'limbic_core_bg.wasm')) });
  let refused = 0;
  for (let failing = 0; ; failing++) {
    const db = join(temporaryFolder(), 'memory.db');
    let left = Number.POSITIVE_INFINITY;
    const files = createFileHost();
    const host: FileHost = {
      ...files,
      sync(file) {
        if (left-- === 0) throw new FileHostError('io', 'the disk does not answer');
        files.sync(file);
      },
    };
    const core = Core.open(host, JSON.stringify({ path: db }));
    assert.equal(create(core, 'Ada').isError, false);
    left = failing;
    const { isError, json } = create(core, 'Bob');
    const wasStruck = left < 0;
    left = Number.POSITIVE_INFINITY;
    assert.equal(isError, wasStruck, json);
    refused += Number(isError);
    const names = wasStruck ? ['Ada'] : ['Ada', 'Bob'];
    assert.deepEqual(namesIn(core), names, `sync ${failing}`);
    const next = create(core, 'Eve');
    assert.equal(next.isError, false, next.json);
    core.close();
    const again = Core.open(createFileHost(), JSON.stringify({ path: db }));
    assert.deepEqual(namesIn(again), [...names, 'Eve'], `sync ${failing}`);
    again.close();
    if (!wasStruck) break;
  }
  assert.ok(refused >= 4, `only ${refused} syncs: the test did not test`);
});
