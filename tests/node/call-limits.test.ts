/** How long a call may keep the memory busy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitMillis, timeoutAnswer } from '../../node/src/call-limits.ts';

test('the limit of a call depends on what it does, and of an import on its size', () => {
  const limit = (tool: string, isRead: boolean, fileBytes?: number): number => limitMillis({ tool, isRead, fileBytes });
  assert.equal(limit('query_sql', true), 10_000);
  assert.equal(limit('memory_recall', true), 60_000);
  assert.equal(limit('memory_maintain', false), 600_000);
  assert.equal(limit('migrate', false, 0), 60_000);
  assert.equal(limit('migrate', false, 60_000_000), 360_000);
});

test('a stopped call says after how many seconds, and what to ask instead', () => {
  for (const [millis, seconds] of [
    [10_000, '10'],
    [300, '0.3'],
    [63_456.7, '63.457'],
  ] as const) {
    const { isError, text } = timeoutAnswer(millis);
    const { code, error, hint } = JSON.parse(text) as Record<string, string>;
    assert.ok(isError);
    assert.equal(code, 'timeout');
    assert.ok(error?.includes(`at its time limit of ${seconds} seconds.`), error);
    assert.match(hint ?? '', /lower limit/);
  }
});
