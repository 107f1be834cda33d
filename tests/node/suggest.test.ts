import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { suggest } from '../../node/src/suggest.ts';

/** A case of the rule, which the core shares. */
interface Case {
  readonly given: string;
  readonly known: readonly string[];
  readonly suggested: string | null;
}

test('the nearest name is suggested if it is near enough', () => {
  const cases = JSON.parse(readFileSync(new URL('../../files/suggestions.json', import.meta.url), 'utf8')) as Case[];
  for (const { given, known, suggested } of cases) {
    assert.equal(suggest(given, known) ?? null, suggested, `${given} of ${known.join(', ')}`);
  }
});

test('long texts get no suggestion', () => {
  const longest = 'x'.repeat(200);
  assert.equal(suggest(`${longest}x`, [`${longest}x`]), undefined);
  assert.equal(suggest(longest, [`${longest}y`, 'x']), `${longest}y`);
});
