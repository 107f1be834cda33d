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
  /** What of a record is laid open: `history` or `reflections`. */
  readonly show?: string;
  /** A part of the care view. */
  readonly part?: string;
  readonly depth?: number;
  /** The days that the timeline shows, and of these the ones that are chosen. */
  readonly whole?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly tool?: string;
}

export const STEPS = steps as readonly Step[];

/** The address that a step shows. */
export function routeOf(step: Step): Route {
  const { entities = [], query, depth, from, to, whole, tool, show, part } = step;
  const [first] = entities;
  const selected = first === undefined ? undefined : { kind: 'entity', id: first };
  switch (step.view) {
    case 'inspector':
      return { view: 'graph', params: given({ focus: first === undefined ? undefined : formatNames([first]), show }), selection: selected };
    case 'graph':
      return { view: 'graph', params: given({ focus: formatNames(entities), depth: depth?.toString() }), selection: undefined };
    case 'search':
      return { view: 'search', params: given({ q: query }), selection: undefined };
    case 'timeline':
      return { view: 'timeline', params: given({ from: whole?.[0], to: whole?.[1], since: from, until: to }), selection: undefined };
    case 'tools':
      return { view: 'tools', params: given({ tool }), selection: undefined };
    case 'care':
      return { view: 'care', params: given({ part, entity: first }), selection: undefined };
    default:
      return { view: step.view, params: {}, selection: undefined };
  }
}

function given(params: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
