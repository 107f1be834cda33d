import { describe, expect, it } from 'vitest';
import { formatNames, formatRoute, parseNames, parseRoute } from '../../src/app/route.ts';
import {
  around,
  hasStart,
  orMostUsed,
  isOpen,
  paramsAround,
  parseGraphUrl,
  withShown,
  toggleExpanded,
  type GraphUrlState,
  graphUrlParams,
  hideRecord,
} from '../../src/views/graph/graph-url-state.ts';

const HOSTILE = ['a,b', 'x&y=z', '#/?', '<img src=x>', 'ünï 100%', 'a:b'];

describe('an address', () => {
  it('defaults to the first view', () => {
    expect(parseRoute('')).toEqual({ view: 'graph', params: {}, domain: undefined, selection: undefined });
  });

  it('opens the maintenance view by its earlier name', () => {
    expect(parseRoute('#/care?part=stale')).toMatchObject({ view: 'maintenance', params: { part: 'stale' } });
  });

  it.each(HOSTILE)('round-trips any text: %s', (text) => {
    const route = { view: 'search', params: { q: text }, domain: text, selection: { kind: 'entity', id: text } };
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it('round-trips lists of any names', () => {
    expect(parseNames(formatNames(HOSTILE))).toEqual(HOSTILE);
  });

  it('may contain an unescaped question mark', () => {
    expect(parseRoute('#/search?q=who is it? and why&of=memories')).toMatchObject({
      view: 'search',
      params: { q: 'who is it? and why', of: 'memories' },
    });
  });

  it('ignores a selection without a kind', () => {
    expect(parseRoute('#/graph?sel=:x').selection).toBeUndefined();
  });
});

/** As an address carries it. */
function carried(urlState: Partial<GraphUrlState>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(graphUrlParams(urlState)).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
}

describe('the address of the graph', () => {
  it('round-trips through the address', () => {
    const urlState = parseGraphUrl({
      focus: formatNames(HOSTILE),
      depth: '3',
      color: 'community',
      ended: '1',
      rel: 'uses',
      since: '2026-01-01',
    });
    expect(parseGraphUrl(carried(urlState))).toEqual(urlState);
    const memories = parseGraphUrl({
      shows: 'memories',
      mfocus: formatNames(HOSTILE),
      mopen: 'a',
      mhide: 'b',
      color: 'domain',
    });
    expect(parseGraphUrl(carried(memories))).toEqual(memories);
    expect(memories).toMatchObject({ focus: [], focusMemories: HOSTILE, openMemories: ['a'], hiddenMemories: ['b'] });
  });

  it('is limited to what the tool accepts', () => {
    expect(parseGraphUrl({ depth: '99', most: '9999999' })).toMatchObject({ depth: 5, most: 20_000 });
    expect(parseGraphUrl({ depth: 'x', color: 'x', shows: 'x' })).toMatchObject({
      depth: 1,
      coloring: 'type',
      shows: 'entities',
    });
  });

  it('shows memories if the address names one', () => {
    expect(parseGraphUrl({ mfocus: 'a' }).shows).toBe('all');
    expect(parseGraphUrl({ mfocus: 'a', shows: 'memories' }).shows).toBe('memories');
  });

  it('focuses on a record of either kind, and shows that kind', () => {
    const before = parseGraphUrl({ focus: 'x', mfocus: 'y', open: 'x', mhide: 'z', most: '5' });
    const after = (kind: string, shows: GraphUrlState['shows']): GraphUrlState =>
      parseGraphUrl(carried({ ...before, ...around({ kind, id: 'one' }, shows) }));
    expect(after('memory', 'entities')).toMatchObject({
      focus: [],
      focusMemories: ['one'],
      open: [],
      hiddenMemories: [],
      most: undefined,
      shows: 'all',
    });
    expect(after('entity', 'memories')).toMatchObject({ focus: ['one'], focusMemories: [], shows: 'all' });
    expect(after('entity', 'entities').shows).toBe('entities');
    const elsewhere = { view: 'table', params: { shows: 'memories' }, selection: undefined };
    expect(paramsAround(elsewhere, { kind: 'entity', id: 'one' })).toMatchObject({
      focus: 'one',
      shows: undefined,
      mfocus: undefined,
    });
  });

  it('shows the most used records if the focus cannot be shown', () => {
    expect(withShown(parseGraphUrl({ focus: 'x' }), 'memories')).toMatchObject({
      focus: [],
      most: 200,
      shows: 'memories',
    });
    expect(withShown(parseGraphUrl({ focus: 'x', mfocus: 'y' }), 'memories')).not.toHaveProperty('most');
    expect(withShown(parseGraphUrl({ most: '7', shows: 'all', color: 'domain' }), 'entities')).toMatchObject({
      coloring: 'type',
      shows: 'entities',
    });
  });

  it('starts with the records that can be shown', () => {
    const params: Record<string, string>[] = [
      { focus: 'x' },
      { focus: 'x', shows: 'memories' },
      { mfocus: 'x', shows: 'entities' },
      { most: '5', shows: 'memories' },
      {},
    ];
    expect(params.map((some) => hasStart(parseGraphUrl(some)))).toEqual([true, false, false, true, false]);
  });

  it('shows the most used records of both kinds without a start in the address', () => {
    const drawn = (params: Record<string, string>) => orMostUsed(parseGraphUrl(params), params);
    expect(drawn({})).toMatchObject({ most: 200, shows: 'all' });
    expect(drawn({ shows: 'entities', type: 'T' })).toMatchObject({ most: 200, shows: 'entities', entityType: 'T' });
    // An entity cannot be drawn among memories.
    expect(drawn({ focus: 'x', shows: 'memories' })).toMatchObject({ most: 200, shows: 'memories' });
    expect(drawn({ focus: 'x' })).toEqual(parseGraphUrl({ focus: 'x' }));
    expect(drawn({ most: '7' })).toMatchObject({ most: 7, shows: 'entities' });
  });

  it('expands, collapses and hides records of either kind with any name', () => {
    const urlState = parseGraphUrl({ open: 'a' });
    const [entity, memory] = [
      { kind: 'entity', id: 'a' },
      { kind: 'memory', id: 'a' },
    ];
    expect([isOpen(urlState, entity), isOpen(urlState, memory)]).toEqual([true, false]);
    expect(toggleExpanded(urlState, entity)).toEqual({ open: [] });
    expect(toggleExpanded(urlState, memory)).toEqual({ openMemories: ['a'] });
    expect(hideRecord(urlState, memory)).toEqual({ hiddenMemories: ['a'] });
  });
});
