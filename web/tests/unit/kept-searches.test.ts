import { expect, it } from 'vitest';
import { forgetSearches, keepSearch, keptSearch } from '../../src/source/kept-searches.ts';
import type { Output } from '../../src/source/tools.ts';

const answer = (mode: string) => ({ mode, results: [] }) as unknown as Output<'search_semantic'>;

it('an answer is found by its number and its query, until all are forgotten', () => {
  const words = answer('words');
  const id = keepSearch('a', words);
  keepSearch('a', answer('hybrid'));
  expect(keptSearch(id, 'a')).toBe(words);
  expect(keptSearch(id, 'b')).toBeUndefined();
  expect(keptSearch(undefined, 'a')).toBeUndefined();
  forgetSearches();
  expect(keptSearch(id, 'a')).toBeUndefined();
});

it('the latest answers are kept', () => {
  const first = keepSearch('first', answer('words'));
  for (let count = 0; count < 49; count += 1) keepSearch('next', answer('words'));
  expect(keptSearch(first, 'first')).toBeDefined();
  keepSearch('next', answer('words'));
  expect(keptSearch(first, 'first')).toBeUndefined();
});
