/** The transcripts, which the tests in Rust run on both servers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE } from './support/places.ts';

const TESTS = join(PACKAGE, '..', 'tests');

/** The lines of a file of JSON Lines. */
function lines<T>(path: string): T[] {
  const texts = readFileSync(path, 'utf8').split('\n');
  return texts.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
}

test('a transcript compares the text of every tool with its structured content', () => {
  // `said` in tests/src/stdio.rs compares both in each answer that is not an error.
  const answered = new Set<string>();
  const cases = join(TESTS, 'cases');
  for (const name of readdirSync(cases, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue;
    const calls = lines<{ tool: string }>(join(cases, name));
    const answers = lines<{ isError: boolean }>(join(TESTS, 'expected', name));
    assert.equal(answers.length, calls.length, name);
    for (const [index, { tool }] of calls.entries()) if (answers[index]?.isError === false) answered.add(tool);
  }
  const tools = JSON.parse(readFileSync(join(PACKAGE, 'dist', 'tools.json'), 'utf8')) as { name: string }[];
  assert.ok(tools.length > 0);
  assert.deepEqual(
    tools.map(({ name }) => name).filter((name) => !answered.has(name)),
    [],
  );
});
