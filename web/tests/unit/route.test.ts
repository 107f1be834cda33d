import { describe, expect, it } from 'vitest';
import { formatNames, formatRoute, parseNames, parseRoute } from '../../src/app/route.ts';
import { parseWish, wishParams } from '../../src/views/graph/wish.ts';

const HOSTILE = ['a,b', 'x&y=z', '#/?', '<img src=x>', 'ünï 100%', 'a:b'];

describe('an address', () => {
  it('names the first view when it names none', () => {
    expect(parseRoute('', 'graph')).toEqual({ view: 'graph', params: {}, domain: undefined, selection: undefined });
  });

  it.each(HOSTILE)('carries any text: %s', (text) => {
    const route = { view: 'search', params: { q: text }, domain: text, selection: { kind: 'entity', id: text } };
    expect(parseRoute(formatRoute(route), 'graph')).toEqual(route);
  });

  it('carries lists of any names', () => {
    expect(parseNames(formatNames(HOSTILE))).toEqual(HOSTILE);
  });

  it('leaves out a selection without a kind', () => {
    expect(parseRoute('#/graph?sel=:x', 'graph').selection).toBeUndefined();
  });
});

describe('the wish of the graph', () => {
  it('survives the address', () => {
    const wish = parseWish({ focus: formatNames(HOSTILE), depth: '3', color: 'community', ended: '1', rel: 'uses', since: '2026-01-01' });
    const params = Object.fromEntries(Object.entries(wishParams(wish)).filter(([, value]) => value !== undefined)) as Record<string, string>;
    expect(parseWish(params)).toEqual(wish);
  });

  it('keeps to the limits of the tool', () => {
    expect(parseWish({ depth: '99', most: '9999999' })).toMatchObject({ depth: 5, most: 20_000 });
    expect(parseWish({ depth: 'x', color: 'x' })).toMatchObject({ depth: 1, coloring: 'type' });
  });
});
