import { describe, expect, it } from 'vitest';
import { formatNames, formatRoute, parseNames, parseRoute } from '../../src/app/route.ts';
import { VIEWS } from '../../src/registry.ts';
import { routeOf, STEPS } from '../../src/tour/steps.ts';
import { parseMemory } from '../../src/tour/tour-memory.ts';

describe('the tour', () => {
  it.each(STEPS.map((step) => [step.title, step] as const))('leads to a view that is there: %s', (_, step) => {
    const route = routeOf(step);
    expect(VIEWS.map(({ id }) => id)).toContain(route.view);
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it('opens records and graphs by their names', () => {
    const step = { title: 't', text: 't', entities: ['a, b', 'c'] };
    expect(routeOf({ ...step, view: 'inspector' }).selection).toEqual({ kind: 'entity', id: 'a, b' });
    expect(parseNames(routeOf({ ...step, view: 'graph', depth: 2 }).params['focus'])).toEqual(['a, b', 'c']);
    expect(routeOf({ ...step, view: 'graph', depth: 2 }).params['depth']).toBe('2');
  });

  it('opens memories and the graph around them by id', () => {
    const step = { title: 't', text: 't', memory: 'herd, seed' };
    const graph = routeOf({ ...step, view: 'graph', shows: 'memories', depth: 2 });
    expect(graph.params).toEqual({ mfocus: formatNames(['herd, seed']), shows: 'memories', depth: '2' });
    const inspector = routeOf({ ...step, view: 'inspector', show: 'history' });
    expect(inspector.selection).toEqual({ kind: 'memory', id: 'herd, seed' });
    expect(inspector.params).toEqual({ mfocus: formatNames(['herd, seed']), show: 'history' });
  });

  it('selects history or reflections', () => {
    const step = { title: 't', text: 't', entities: ['a'] };
    expect(routeOf({ ...step, view: 'inspector', show: 'history' }).params['show']).toBe('history');
    expect(routeOf({ ...step, view: 'maintenance', part: 'splits' }).params).toEqual({ part: 'splits', entity: 'a' });
    expect(
      routeOf({ ...step, view: 'timeline', whole: ['2026-01-01', '2026-10-01'], from: '2026-02-01', to: '2026-02-03' })
        .params,
    ).toEqual({
      from: '2026-01-01',
      to: '2026-10-01',
      since: '2026-02-01',
      until: '2026-02-03',
    });
  });

  it('resumes at the last step and tolerates any stored value', () => {
    expect(parseMemory('{"step":3,"isSeen":true}')).toEqual({ step: 3, isSeen: true });
    for (const odd of [null, '', '{', 'null', '[]', '{"step":-1}', '{"step":"x","isSeen":1}'])
      expect(parseMemory(odd)).toEqual({ step: 0, isSeen: false });
  });
});
