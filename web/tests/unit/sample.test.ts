import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';

interface MemoryRecord {
  readonly record: string;
  readonly [field: string]: unknown;
}

interface MemoryState {
  readonly count: number;
  readonly tier: string;
  readonly heat: string;
  readonly confidence: number;
  readonly promotions: number;
  readonly last?: string;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const SAMPLE = new URL('../../sample/', import.meta.url);
const BUILD = fileURLToPath(new URL('build.mjs', SAMPLE));

let records: readonly MemoryRecord[];

beforeAll(() => {
  records = built()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MemoryRecord);
});

it('the sample memory has no problems', () => {
  const { status, stderr } = spawnSync(process.execPath, [BUILD, '--check'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/^\d+ entities, \d+ observations/);
  expect(stderr).toMatch(/ 200 memories in 4 domains /);
});

it('the build is deterministic and ends with the number of records', () => {
  expect(built()).toBe(built());
  expect(records.at(-1)).toEqual({ record: 'end', records: records.length - 2 });
});

it("the sample's memories contain what the page demonstrates", () => {
  const memories = of('memory');
  expect(memories).toHaveLength(200);
  const types = of('memory_edge').map(({ link_type: type }) => type);
  for (const type of ['supports', 'contradicts', 'refines', 'supersedes', 'depends_on', 'caused_by']) {
    expect(types.filter((one) => one === type).length, type).toBeGreaterThanOrEqual(5);
  }
  expect(of('memory_reference').length).toBeGreaterThanOrEqual(12);
  expect(new Set(of('memory_history').map(({ memory }) => memory)).size).toBeGreaterThanOrEqual(25);
  expect(memories.filter((memory) => 'valid_until' in memory).length).toBeGreaterThanOrEqual(15);
  expect(memories.filter(({ expires_at: at }) => typeof at === 'string' && at < '2026-10-09').length).toBe(3);
  expect(memories.filter(({ pinned }) => pinned === true).length).toBeGreaterThanOrEqual(5);
  expect(new Set(memories.flatMap(({ user_id: user }) => user ?? []))).toEqual(new Set(['maite', 'iker']));
  expect(new Set(memories.map(({ tier = 'l4' }) => tier))).toEqual(new Set(['l0', 'l1', 'l2', 'l3', 'l4']));
  expect(new Set(memories.map(({ heat = 'cold' }) => heat))).toEqual(new Set(['cold', 'warm', 'hot']));
});

it('count, tier and confidence follow from the days of access', async () => {
  const { finalState } = (await import(new URL('access-effects.mjs', SAMPLE).href)) as {
    finalState: (memory: object) => MemoryState;
  };
  const fact = { createdAt: '2026-05-04 08:00:00', confidence: 0.9 };
  const memory = {
    memoryType: 'episodic',
    isPinned: false,
    isUnmoved: false,
    tier: 'l4',
    texts: [fact],
    uses: [{ day: '06-03', times: 3 }],
  };
  expect(finalState({ ...memory, uses: [] })).toMatchObject({
    count: 0,
    tier: 'l4',
    heat: 'cold',
    confidence: 0.9,
    last: undefined,
  });
  expect(finalState(memory)).toMatchObject({ count: 3, tier: 'l2', heat: 'warm', promotions: 1 });
  // Half is gone after about thirty days, and each time of being found adds 0.05.
  expect(finalState(memory).confidence).toBeCloseTo(0.6, 1);
  expect(finalState({ ...memory, isPinned: true }).confidence).toBe(1);
  const often = [1, 2, 3, 4, 5].map((day) => ({ day: `06-0${day}`, times: 2 }));
  expect(finalState({ ...memory, uses: often })).toMatchObject({ count: 10, tier: 'l1', heat: 'hot', promotions: 2 });
});

function built(): string {
  return spawnSync(process.execPath, [BUILD], { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES }).stdout;
}

function of(kind: string): readonly MemoryRecord[] {
  return records.filter(({ record }) => record === kind);
}
