/** How long a call may keep the memory busy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calledTool, limitMillis, limitOf, timeoutAnswer } from '../../node/src/call-limits.ts';
import { HOOKS } from '../../node/src/hook-events.ts';
import type { ToCore } from '../../node/src/messages.ts';

test('the limit of a call depends on what it does, and of an import on its size', () => {
  const limit = (tool: string, isRead: boolean, fileBytes?: number): number => limitMillis({ tool, isRead, fileBytes });
  assert.equal(limit('query_sql', true), 10_000);
  assert.equal(limit('memory_recall', true), 60_000);
  assert.equal(limit('memory_maintain', false), 600_000);
  assert.equal(limit('migrate', false, 0), 60_000);
  assert.equal(limit('migrate', false, 60_000_000), 360_000);
});

test('whatever reads the database has the limit of reads, and a download one that grows with its size', () => {
  const limit = (message: object, fileBytes?: number): number | undefined =>
    limitOf({ id: 1, args: '{}', ...message } as ToCore, fileBytes);
  for (const type of ['resource', 'prompt', 'complete', 'database']) assert.equal(limit({ type }), 60_000, type);
  assert.equal(limit({ type: 'database' }, 60_000_000), 360_000);
  const writing = [...HOOKS].filter((hook) => limit({ type: 'hook', hook }) === 600_000);
  assert.deepEqual(writing, ['pre-compact', 'session-end']);
  assert.equal(limit({ type: 'hook', hook: 'user-prompt-submit' }), 60_000);
  assert.equal(limit({ type: 'call', tool: 'query_sql' }), 10_000);
  for (const type of ['tools', 'resources', 'version', 'close']) assert.equal(limit({ type }), undefined, type);
});

test('dry runs and calls of tools that are not listed have the limit of what they do', () => {
  const limit = (tool: string, args: object): number | undefined =>
    limitOf({ type: 'call', id: 1, tool, args: JSON.stringify(args) } as ToCore, undefined);
  const call = (name: string, args: object): object => ({ name, arguments: args });
  assert.equal(limit('memory_maintain', {}), 60_000);
  assert.equal(limit('memory_maintain', { dry_run: true, actions: ['decay'] }), 60_000);
  assert.equal(limit('memory_maintain', { dry_run: false, plan_id: 'a' }), 600_000);
  // The core may read it as false.
  assert.equal(limit('memory_maintain', { dry_run: 'false', plan_id: 'a' }), 600_000);
  assert.equal(limit('more_tools', call('memory_maintain', {})), 60_000);
  assert.equal(limit('more_tools', call('memory_maintain', { dry_run: false, plan_id: 'a' })), 600_000);
  assert.equal(limit('more_tools', call('query_sql', {})), 10_000);
  assert.equal(limit('more_tools', call('graph_communities', {})), 60_000);
  assert.equal(limit('more_tools', call('delete_entities', {})), 600_000);
  assert.equal(limit('more_tools', call('more_tools', {})), 60_000);
  assert.equal(limit('more_tools', {}), 60_000);
  assert.equal(limit('graph_communities', {}), 60_000);
  assert.equal(limit('nothing', {}), 600_000);
  assert.deepEqual(calledTool('memory_maintain', 'no JSON'), { tool: 'memory_maintain', isRead: false });
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
