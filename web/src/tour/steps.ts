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
  /** Id of a memory, in the place of entities. */
  readonly memory?: string;
  /** What the graph draws: `entities`, `memories` or `all`. */
  readonly shows?: string;
  /** What of a record is laid open: `history` or `reflections`. */
  readonly show?: string;
  /** A tab of the maintenance view. */
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
  const { entities = [], memory, shows, query, depth, from, to, whole, tool, show, part } = step;
  const [first] = entities;
  switch (step.view) {
    case 'inspector':
      return {
        view: 'graph',
        params: given({ ...around(entities.slice(0, 1), memory), shows, show }),
        selection: recordOf(first, memory),
      };
    case 'graph':
      return {
        view: 'graph',
        params: given({ ...around(entities, memory), shows, depth: depth?.toString() }),
        selection: undefined,
      };
    case 'search':
      return { view: 'search', params: given({ q: query }), selection: undefined };
    case 'timeline':
      return {
        view: 'timeline',
        params: given({ from: whole?.[0], to: whole?.[1], since: from, until: to }),
        selection: undefined,
      };
    case 'tools':
      return { view: 'tools', params: given({ tool }), selection: undefined };
    case 'maintenance':
      return { view: 'maintenance', params: given({ part, entity: first }), selection: undefined };
    default:
      return { view: step.view, params: {}, selection: undefined };
  }
}

function recordOf(entity: string | undefined, memory: string | undefined): Route['selection'] {
  if (memory !== undefined) return { kind: 'memory', id: memory };
  return entity === undefined ? undefined : { kind: 'entity', id: entity };
}

/** What the graph is drawn around, as its address says it. */
function around(entities: readonly string[], memory: string | undefined): Readonly<Record<string, string | undefined>> {
  return {
    focus: entities.length === 0 ? undefined : formatNames(entities),
    mfocus: memory === undefined ? undefined : formatNames([memory]),
  };
}

function given(params: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
