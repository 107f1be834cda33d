/** The steps of the tour as data, and where each leads. */
import { formatNames, type Route } from '../app/route.ts';
import steps from '../../sample/tour.json' with { type: 'json' };

export interface Step {
  readonly title: string;
  readonly text: string;
  /** A view, or `inspector` for a record beside its graph. */
  readonly view: string;
  readonly query?: string;
  readonly entities?: readonly string[];
  readonly explain?: boolean;
  readonly show?: string;
  readonly depth?: number;
  readonly from?: string;
  readonly to?: string;
  readonly tool?: string;
}

export const STEPS: readonly Step[] = steps;

/** The address that a step shows. */
export function routeOf(step: Step): Route {
  const { entities = [], query, depth, from, to, tool } = step;
  const [first] = entities;
  const selected = first === undefined ? undefined : { kind: 'entity', id: first };
  switch (step.view) {
    case 'inspector':
      return { view: 'graph', params: entities.length === 0 ? {} : { focus: formatNames(entities.slice(0, 1)) }, selection: selected };
    case 'graph':
      return { view: 'graph', params: { focus: formatNames(entities), ...(depth === undefined ? {} : { depth: String(depth) }) }, selection: undefined };
    case 'search':
      return { view: 'search', params: query === undefined ? {} : { q: query }, selection: undefined };
    case 'timeline':
      return { view: 'timeline', params: { ...(from === undefined ? {} : { since: from }), ...(to === undefined ? {} : { until: to }) }, selection: undefined };
    case 'tools':
      return { view: 'tools', params: tool === undefined ? {} : { tool }, selection: undefined };
    default:
      return { view: step.view, params: {}, selection: undefined };
  }
}
