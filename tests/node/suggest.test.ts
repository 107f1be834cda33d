import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggest } from '../../node/src/suggest.ts';

// The cases of `nearest` in crates/limbic-tools/src/suggest.rs, and those that distinguish its rule from others.
test('a misspelling gets the suggestion that the core gives', () => {
  assert.equal(suggest('entityNmae', ['entityName', 'contents']), 'entityName');
  assert.equal(suggest('observation', ['name', 'observations']), 'observations');
  assert.equal(suggest('colour', ['name', 'observations']), undefined);
  assert.equal(suggest('abcdefxyz', ['abcdef']), undefined, 'a third of the known name');
  assert.equal(suggest('abcxyz', ['abcdefxyz']), 'abcdefxyz', 'a third of the known name');
  assert.equal(suggest('tas', ['tax', 'tab']), 'tab', 'in alphabetical order');
});

test('long texts get no suggestion', () => {
  const longest = 'x'.repeat(200);
  assert.equal(suggest(`${longest}x`, [`${longest}x`]), undefined);
  assert.equal(suggest(longest, [`${longest}y`, 'x']), `${longest}y`);
});
