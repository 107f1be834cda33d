import { describe, expect, it } from 'vitest';
import { CallLog } from '../../src/source/call-log.ts';
import { clock, filterCalls, isTruncated, millisText, parsedJson, sizeOf } from '../../src/views/tools/log-model.ts';

const ALL = { text: '', client: 'all', isErrorsOnly: false } as const;

function log(): CallLog {
  const made = new CallLog();
  made.begin('search_semantic', '{"query":"Atlas"}')('{"results":[]}', false);
  made.note({
    tool: 'delete_entities',
    args: '{}',
    argsLength: 2,
    answer: '{"error":',
    answerLength: 40_000,
    isError: true,
    startedMillis: 1,
    tookMillis: 2,
    client: 'claude-code',
  });
  made.begin('read_graph', '{}');
  return made;
}

describe('the call log', () => {
  it('shows the newest first', () => {
    expect(filterCalls(log().calls.get(), ALL).map(({ tool }) => tool)).toEqual([
      'read_graph',
      'delete_entities',
      'search_semantic',
    ]);
  });

  it('filters by tool, client and arguments', () => {
    const calls = log().calls.get();
    const found = (text: string): string[] => filterCalls(calls, { ...ALL, text }).map(({ tool }) => tool);
    expect(found('ATLAS')).toEqual(['search_semantic']);
    expect(found('claude')).toEqual(['delete_entities']);
    expect(found('graph')).toEqual(['read_graph']);
  });

  it('distinguishes this page from other clients, and errors from running calls', () => {
    const calls = log().calls.get();
    expect(filterCalls(calls, { ...ALL, client: 'page' }).map(({ tool }) => tool)).toEqual([
      'read_graph',
      'search_semantic',
    ]);
    expect(filterCalls(calls, { ...ALL, client: 'others' }).map(({ tool }) => tool)).toEqual(['delete_entities']);
    expect(filterCalls(calls, { ...ALL, isErrorsOnly: true }).map(({ tool }) => tool)).toEqual(['delete_entities']);
  });

  it('reports the full size of a truncated answer', () => {
    const [cut, whole] = [
      filterCalls(log().calls.get(), { ...ALL, client: 'others' })[0],
      filterCalls(log().calls.get(), { ...ALL, text: 'atlas' })[0],
    ];
    expect([sizeOf(cut!), isTruncated(cut!.answer, cut!.answerLength)]).toEqual([40_000, true]);
    expect([sizeOf(whole!), isTruncated(whole!.answer, whole!.answerLength)]).toEqual([14, false]);
  });

  it('truncates long answers', () => {
    const made = new CallLog();
    made.begin('explore_graph', '{}')('x'.repeat(300_000), false);
    const [call] = made.calls.get();
    expect([call!.answer!.length, call!.answerLength]).toEqual([200_000, 300_000]);
  });

  it('shows text that is not JSON as text', () => {
    expect(parsedJson('{"a":1}')).toEqual({ a: 1 });
    expect(parsedJson('{"a":')).toBe('{"a":');
  });

  it('formats times and durations', () => {
    expect([millisText(3.42), millisText(55.4), millisText(1234)]).toEqual(['3.4 ms', '55 ms', '1.23 s']);
    expect(clock(new Date(2026, 10, 20, 9, 5, 7, 8).getTime())).toBe('09:05:07.008');
  });
});
