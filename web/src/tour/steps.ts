/** The steps of the tour as data, with the address that each shows. */
import { formatNames, type Route } from '../app/route.ts';
import steps from '../../sample/tour.json' with { type: 'json' };

export interface Step {
  readonly title: string;
  readonly text: string;
  /** A view, or `inspector` for a record beside its graph. */
  readonly view: string;
  readonly query?: string;
  readonly entities?: readonly string[];
  /** Id of a memory, instead of entities. */
  readonly memory?: string;
  /** The kinds of records in the graph: `entities`, `memories` or `all`. */
  readonly shows?: string;
  /** The section of a record that is expanded: `history` or `reflections`. */
  readonly show?: string;
  /** A tab of the maintenance view. */
  readonly part?: string;
  readonly depth?: number;
  /** The days that the timeline shows, and the selected ones. */
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

/** The focus of the graph, in the format of the address. */
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
