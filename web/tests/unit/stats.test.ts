import { describe, expect, it } from 'vitest';
import { bytesText } from '../../src/components/format.ts';
import { preview } from '../../src/components/json-tree.tsx';
import { embeddedPart, headline, signed, topOf } from '../../src/views/stats/stats-model.ts';

const counts = {
  entities: 3,
  placeholders: 1,
  observations: 9,
  superseded: 2,
  flagged: 0,
  relations: 4,
  ended: 0,
  reflections: 0,
  searches: 7,
  found_together: 5,
  memories: 12,
  memories_ended: 3,
  links: 4,
  domains: 2,
};

describe('numbers of a memory', () => {
  it('show the largest and sum the others', () => {
    const names = [
      ['a', 10],
      ['b', 5],
      ['c', 2],
      ['d', 1],
    ].map(([name, count]) => ({ name: String(name), count: Number(count) }));
    const { shares, rest, restCount } = topOf(names, 2);
    expect(shares.map(({ part }) => part)).toEqual([1, 0.5]);
    expect([rest, restCount]).toEqual([2, 3]);
  });

  it('are empty for empty data', () => {
    expect(topOf([], 5)).toEqual({ shares: [], rest: 0, restCount: 0 });
  });

  it('report the embedded share, and nothing if there is nothing to embed', () => {
    const none = { entities: 0, observations: 0, reflections: 0, memories: 0 };
    expect(
      embeddedPart({
        vectors: { entities: 1, observations: 1, reflections: 0, memories: 1 },
        queue: { waiting: 2, failed: 1 },
      }),
    ).toBe(0.5);
    expect(embeddedPart({ vectors: none, queue: { waiting: 0, failed: 0 } })).toBeUndefined();
  });

  it('omit zero counts', () => {
    const [entities, observations, relations] = headline({ counts });
    expect([entities?.note, observations?.note, relations?.note]).toEqual(['1 referenced only', '2 superseded', '']);
  });

  it('are written for reading', () => {
    expect([signed(0.0213), signed(-0.5), signed(0)]).toEqual(['+0.021', '−0.500', '+0.000']);
    expect([bytesText(999), bytesText(1500), bytesText(1_417_216)]).toEqual(['999 B', '1.5 kB', '1.4 MB']);
  });
});

describe('collapsed JSON', () => {
  it('has a preview', () => {
    expect(
      preview(
        [
          ['a', 1],
          ['b', { c: 1 }],
          ['d', ['x']],
        ],
        false,
      ),
    ).toBe('a: 1, b: {…}, d: […]');
    expect(preview([['0', 'x'.repeat(100)]], true)).toHaveLength(61);
    expect(preview([['0', '😀'.repeat(100)]], true)).toMatch(/^"(😀)+…$/u);
  });
});
