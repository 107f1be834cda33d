/** What `explore_graph` answers. */
import type { EntityRow, RelationRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import { isWithin } from './interval.ts';
import type { Memory } from './memory.ts';

type Asked = Input<'explore_graph'>;

const LIMIT = 200;

export function graph(memory: Memory, asked: Asked): Output<'explore_graph'> {
  const { limit = LIMIT, names, include_ended: includesEnded = false } = asked;
  const fits = (row: EntityRow): boolean =>
    (asked.entity_type === undefined || row.entityType === asked.entity_type) &&
    (asked.status === undefined || row.status === asked.status) &&
    wasSaidWithin(memory, row, asked);
  const leads = (relation: RelationRow): boolean =>
    (includesEnded || relation.active) &&
    (asked.relation_types === undefined || asked.relation_types.includes(relation.relationType)) &&
    isWithin(relation.created_at, undefined, asked.until);

  const { shown, leftOut } = names === undefined ? overview(memory, fits, limit) : around(memory, names, asked, fits, leads, limit);
  const ids = new Set([...shown.keys()].map(({ id }) => id));
  const edges = memory.relations.filter((relation) => leads(relation) && ids.has(relation.from_id) && ids.has(relation.to_id));
  const unknown = names?.filter((name) => !memory.entityOf.has(name)) ?? [];
  return {
    nodes: [...shown].map(([row, distance]) => ({ ...row, distance })),
    edges: edges.map(({ id, from_id, to_id, relationType, weight, active, context, created_at }) => ({
      id, from: from_id, to: to_id, relationType, weight, active, context, created_at,
    })),
    totals: {
      entities: memory.entities.length,
      relations: includesEnded ? memory.relations.length : memory.relations.filter(({ active }) => active).length,
      memories: 0,
      links: 0,
    },
    // The page that stands alone has no memories in it.
    memories: [],
    links: [],
    mentions: [],
    omitted: { nodes: leftOut, edges: 0, memories: 0, links: 0 },
    ...(unknown.length > 0 && { unknown }),
  };
}

interface Shown {
  readonly shown: ReadonlyMap<EntityRow, number | undefined>;
  readonly leftOut: number;
}

/** The most used and connected. */
function overview({ entities }: Memory, fits: (row: EntityRow) => boolean, limit: number): Shown {
  const fitting = entities.filter(fits).sort(byWeight);
  return { shown: new Map(fitting.slice(0, limit).map((row) => [row, undefined])), leftOut: Math.max(0, fitting.length - limit) };
}

/** What lies around some entities, nearest first. Those are in it whether they fit or not. */
function around(
  memory: Memory,
  names: readonly string[],
  { depth = 1, neighbours_max: neighboursMax = Number.POSITIVE_INFINITY }: Asked,
  fits: (row: EntityRow) => boolean,
  leads: (relation: RelationRow) => boolean,
  limit: number,
): Shown {
  const starts = [...new Set(names)].flatMap((name) => memory.entityOf.get(name) ?? []);
  const shown = new Map<EntityRow, number>(starts.slice(0, limit).map((row) => [row, 0]));
  const leftOut = new Set(starts.slice(limit));
  let frontier = [...shown.keys()];
  for (let distance = 1; distance <= depth; distance += 1) {
    const next: EntityRow[] = [];
    for (const { name } of frontier) {
      const near = (memory.relationsOf.get(name) ?? [])
        .filter(leads)
        .flatMap(({ from, to }) => memory.entityOf.get(from === name ? to : from) ?? [])
        .filter((row) => !shown.has(row) && fits(row));
      const ordered = [...new Set(near)].sort(byWeight);
      for (const [place, row] of ordered.entries()) {
        if (place >= neighboursMax || shown.size >= limit) {
          leftOut.add(row);
        } else {
          shown.set(row, distance);
          next.push(row);
        }
      }
    }
    frontier = next;
  }
  return { shown, leftOut: [...leftOut].filter((row) => !shown.has(row)).length };
}

function byWeight(a: EntityRow, b: EntityRow): number {
  return b.access_count + b.relations - (a.access_count + a.relations) || a.id - b.id;
}

function wasSaidWithin({ observationsOf }: Memory, row: EntityRow, { since, until }: Asked): boolean {
  if (since === undefined && until === undefined) return true;
  if (isWithin(row.created_at, since, until)) return true;
  return (observationsOf.get(row.name) ?? []).some(({ created_at }) => isWithin(created_at, since, until));
}
