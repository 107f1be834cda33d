import { describe, expect, it } from 'vitest';
import { highlightSegments, type Result, rowsOf } from '../../src/views/search/result-model.ts';

const result = (name: string, baseline_rank: number): Result => ({
  name,
  entityType: 'T',
  observations: [],
  limbic_score: 1,
  scoring: { importance: 0, temporal_factor: 1, cooc_boost: 0 },
  explanation: { relevance: 0.5, baseline_rank, vector: { share: 0.1 }, late: { share: 0.3 }, lexical: { share: 0.1 } },
});

describe('results', () => {
  const results = [result('a', 3), result('b', 1), result('c', 2)];

  it("keep the core's order", () => {
    expect(rowsOf(results, 'limbic').map(({ result: { name } }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('are also ordered by relevance only, each with both ranks', () => {
    expect(
      rowsOf(results, 'baseline').map(({ result: { name }, rank, baselineRank }) => [name, rank, baselineRank]),
    ).toEqual([
      ['b', 2, 1],
      ['c', 3, 2],
      ['a', 1, 3],
    ]);
  });
});

describe('a highlighted text', () => {
  it('highlights words of the question and words that start with them, without losing text', () => {
    const found = highlightSegments('Running on Dublin, run by dublin.', 'run dublin?');
    expect(found.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual([
      'Running',
      'Dublin',
      'run',
      'dublin',
    ]);
    expect(found.map(({ text }) => text).join('')).toBe('Running on Dublin, run by dublin.');
  });

  it('treats the question as words, not as a pattern', () => {
    expect(highlightSegments('a(b.*c', '.*( [')).toEqual([{ text: 'a(b.*c', isMatch: false }]);
  });
});
