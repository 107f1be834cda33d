import { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leader } from '../../src/core/leader.ts';
import type { Reply, Request } from '../../src/core/messages.ts';

const TOOLS = [
  { name: 'read', annotations: { readOnlyHint: true, idempotentHint: true } },
  { name: 'put', annotations: { readOnlyHint: false, idempotentHint: true } },
  { name: 'append', annotations: { readOnlyHint: false, idempotentHint: false } },
];

vi.mock('limbic-pkg/core/limbic_core.js', () => ({ tools: () => JSON.stringify(TOOLS) }));
const run = vi.hoisted(() => ({ requests: [] as Request[] }));
vi.mock('../../src/core/run-request.ts', () => ({
  runRequest: async (_: unknown, request: Request): Promise<Reply> => {
    run.requests.push(request);
    return { isError: false, text: '{}' };
  },
}));

beforeEach(() => {
  run.requests = [];
  vi.useFakeTimers();
});

afterEach(() => vi.useRealTimers());

/** The answer to a request that an earlier leader had begun, if `isBegun`, and whether this one announced its start. */
async function answered(
  request: Request,
  isBegun: boolean,
): Promise<{ reply: Reply | undefined; isAnnounced: boolean }> {
  let reply: Reply | undefined;
  let isAnnounced = false;
  const leader = new Leader(new EncoderLink(), () => isBegun, false, {
    open: async () => ({ close: () => {} }) as never,
    convert: async () => ({ isError: false, text: '{}' }),
    toolsets: [],
    reply: (_, answer) => {
      reply = answer;
    },
    begun: () => {
      isAnnounced = true;
    },
    progress: () => {},
    changed: () => {},
    pending: () => {},
    trapped: () => {},
  });
  leader.ask({ id: 'page:1', request });
  await vi.advanceTimersByTimeAsync(1);
  leader.close();
  return { reply, isAnnounced };
}

const call = (tool: string): Request => ({ what: 'call', tool, args: '{}' });
const imported = (replaces: boolean, keepsPrevious: boolean): Request => ({
  what: 'import',
  name: 'a.jsonl',
  file: new Blob([]),
  replaces,
  keepsPrevious,
});

describe('a leader', () => {
  it.each([
    ['a tool that is not idempotent', call('append')],
    ['an import that replaces the memory', imported(true, true)],
    ['an import whose previous memory is kept for undo', imported(false, true)],
    ['an import that adds', imported(false, false)],
    ['an encryption', { what: 'encrypt', phrase: '' } as const],
  ])('runs no second time: %s', async (_, request) => {
    expect((await answered(request, false)).isAnnounced).toBe(true);
    const { reply } = await answered(request, true);
    expect(reply?.text).toContain('"interrupted"');
  });

  it.each([
    ['a tool that reads', call('read')],
    ['an idempotent tool', call('put')],
    ['an export', { what: 'export' } as const],
  ])('announces no start of what may be repeated: %s', async (_, request) => {
    expect(await answered(request, false)).toEqual({ reply: { isError: false, text: '{}' }, isAnnounced: false });
    expect(run.requests).toEqual([request]);
  });
});
