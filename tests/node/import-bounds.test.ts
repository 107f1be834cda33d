/** Files that clients over HTTP may import. */
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ImportBounds, NOT_IMPORTABLE } from '../../node/src/core/import-bounds.ts';
import { temporaryFolder } from './support/places.ts';

test('an opened file outside of the folder is refused, whatever its path was', (t) => {
  const root = realpathSync.native(temporaryFolder());
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  for (const folder of [inside, outside]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.jsonl'), 'a');
  }
  const bounds = new ImportBounds(inside);
  closeSync(bounds.open(join(inside, 'a.jsonl')));
  assert.throws(() => bounds.open(join(outside, 'a.jsonl')), new Error(NOT_IMPORTABLE));
  // As if a folder had been replaced by a link between the check of a path and its opening.
  const other = openSync(join(outside, 'a.jsonl'), 'r');
  t.after(() => closeSync(other));
  assert.equal(bounds.holds(other, join(inside, 'a.jsonl')), false);
  if (process.platform !== 'win32') {
    symlinkSync(outside, join(inside, 'link'));
    assert.throws(() => bounds.open(join(inside, 'link', 'a.jsonl')), new Error(NOT_IMPORTABLE));
  }
  assert.throws(() => bounds.open(inside), /not a regular file/);
});
