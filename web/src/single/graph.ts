/** What `explore_graph` answers. */
import type { EntityRow, MemoryRow, RelationRow } from '../source/explorer-tools.ts';
import type { Input, Output } from '../source/tools.ts';
import { isWithin } from './interval.ts';
import { checkDomain } from './domain.ts';
import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';

type Asked = Input<'explore_graph'>;
type Node = EntityRow | MemoryRow;

const LIMIT = 200;

/** How the graph is walked. */
interface Way {
  readonly limit: number;
  fits(node: Node): boolean;
  weight(node: Node): number;
  neighbours(node: Node): readonly Node[];
}

export function graph(memory: Memory, asked: Asked): Output<'explore_graph'> {
  const { memories } = memory;
  const { show = 'entities', names, memory_ids: ids, include_ended: includesEnded = false, domain } = asked;
  if (show === 'memories' && names !== undefined) throw refusal('invalid_argument', 'names are those of entities, which show "memories" leaves out');
  if (show === 'entities' && ids !== undefined) throw refusal('invalid_argument', 'memory_ids are those of memories, which show "entities" leaves out');
  checkDomain(memory, domain);
  const way = wayOf(memory, asked);
  const starts = [...(names ?? []).map((name) => memory.entityOf.get(name)), ...(ids ?? []).map((id) => memories.keptOf.get(id)?.row)];
  const { shown, leftOut } =
    names === undefined && ids === undefined
      ? overview([...(show === 'memories' ? [] : memory.entities), ...(show === 'entities' ? [] : memories.rows)], way)
      : around(starts.filter((node) => node !== undefined), asked, way);

  const edges = memory.relations.filter((relation) => leads(relation, asked) && has(shown, memory.entityOf.get(relation.from), memory.entityOf.get(relation.to)));
  const links = memories.links.filter((link) => connects(link, asked) && has(shown, memories.keptOf.get(link.from_id)?.row, memories.keptOf.get(link.to_id)?.row));
  const mentions = [...shown.keys()].flatMap((node) => (isMemory(node) ? (memories.mentionsOf.get(node.id) ?? []) : [])).filter(({ entity }) => shown.has(entity));
  const unknown = [...(names ?? []).filter((name) => !memory.entityOf.has(name)), ...(ids ?? []).filter((id) => !memories.keptOf.has(id))];
  const omittedMemories = leftOut.filter(isMemory).length;
  return {
    nodes: [...shown].flatMap(([row, distance]) => (isMemory(row) ? [] : [{ ...row, distance }])),
    edges: edges.map(({ id, from_id, to_id, relationType, weight, active, context, created_at }) => ({
      id, from: from_id, to: to_id, relationType, weight, active, context, created_at,
    })),
    memories: [...shown].flatMap(([row, distance]) => (isMemory(row) ? [{ ...row, distance }] : [])),
    links: links
      .map(({ id, from_id, to_id, type, strength, is_reference, created_at }) => ({ id, from: from_id, to: to_id, type, strength, is_reference, created_at }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    mentions: mentions.map(({ memory: { id }, entity, given }) => ({ memory: id, entity: entity.id, given })),
    totals: {
      entities: memory.entities.length,
      relations: includesEnded ? memory.relations.length : memory.relations.filter(({ active }) => active).length,
      memories: memories.rows.filter((row) => isOf(row, domain) && (includesEnded || row.status === 'current')).length,
      links: memories.links.filter(({ from_domain, to_domain }) => domain === undefined || from_domain === domain || to_domain === domain).length,
    },
    omitted: { nodes: leftOut.length - omittedMemories, edges: 0, memories: omittedMemories, links: 0 },
    ...(unknown.length > 0 && { unknown }),
  };
}

function wayOf(memory: Memory, asked: Asked): Way {
  const { memories } = memory;
  const { show = 'entities', include_ended: includesEnded = false, domain, since, until, limit = LIMIT } = asked;
  const others = (id: string): Node[] =>
    (memories.linksOf.get(id) ?? []).filter((link) => connects(link, asked)).flatMap(({ from_id, to_id }) => memories.keptOf.get(from_id === id ? to_id : from_id)?.row ?? []);
  const related = (name: string): Node[] =>
    (memory.relationsOf.get(name) ?? []).filter((relation) => leads(relation, asked)).flatMap(({ from, to }) => memory.entityOf.get(from === name ? to : from) ?? []);
  return {
    limit,
    fits: (node) =>
      isMemory(node)
        ? isOf(node, domain) && (includesEnded || node.status === 'current') && isWithin(node.created_at, since, until)
        : (asked.entity_type === undefined || node.entityType === asked.entity_type) &&
          (asked.status === undefined || node.status === asked.status) &&
          wasSaidWithin(memory, node, asked),
    weight: (node) => node.access_count + (isMemory(node) ? node.links + node.entities : node.relations),
    neighbours: (node) => {
      const mentions = show !== 'all' ? [] : (isMemory(node) ? memories.mentionsOf.get(node.id) : memories.mentionsOfEntity.get(node.name)) ?? [];
      return isMemory(node) ? [...others(node.id), ...mentions.map(({ entity }) => entity)] : [...related(node.name), ...mentions.map(({ memory: row }) => row)];
    },
  };
}

interface Shown {
  readonly shown: ReadonlyMap<Node, number | undefined>;
  readonly leftOut: readonly Node[];
}

/** The most used and connected. */
function overview(nodes: readonly Node[], { limit, fits, weight }: Way): Shown {
  const fitting = ordered(nodes.filter(fits), weight);
  return { shown: new Map(fitting.slice(0, limit).map((row) => [row, undefined])), leftOut: fitting.slice(limit) };
}

/** What lies around some nodes, nearest first. Those are in it whether they fit or not. */
function around(named: readonly Node[], { depth = 1, neighbours_max: neighboursMax = Number.POSITIVE_INFINITY }: Asked, { limit, fits, weight, neighbours }: Way): Shown {
  const starts = [...new Set(named)];
  const shown = new Map<Node, number>(starts.slice(0, limit).map((row) => [row, 0]));
  const leftOut = new Set(starts.slice(limit));
  let frontier = [...shown.keys()];
  for (let distance = 1; distance <= depth; distance += 1) {
    const next: Node[] = [];
    for (const node of frontier) {
      const near = neighbours(node).filter((row) => !shown.has(row) && fits(row));
      for (const [place, row] of ordered([...new Set(near)], weight).entries()) {
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
  return { shown, leftOut: [...leftOut].filter((row) => !shown.has(row)) };
}

/** The weightiest first; entities before memories that weigh the same. */
function ordered(nodes: readonly Node[], weight: Way['weight']): Node[] {
  const later = (a: Node, b: Node): boolean => (isMemory(a) === isMemory(b) ? a.id > b.id : isMemory(a));
  return [...nodes].sort((a, b) => weight(b) - weight(a) || (later(a, b) ? 1 : -1));
}

function isMemory(node: Node): node is MemoryRow {
  return 'category' in node;
}

function isOf(row: MemoryRow, domain: string | undefined): boolean {
  return domain === undefined || row.domain === domain;
}

function has(shown: ReadonlyMap<Node, unknown>, ...nodes: readonly (Node | undefined)[]): boolean {
  return nodes.every((node) => node !== undefined && shown.has(node));
}

function leads(relation: RelationRow, { include_ended: includesEnded = false, relation_types: types, until }: Asked): boolean {
  return (includesEnded || relation.active) && (types === undefined || types.includes(relation.relationType)) && isWithin(relation.created_at, undefined, until);
}

function connects(link: { readonly type: string; readonly created_at: string }, { relation_types: types, until }: Asked): boolean {
  return (types === undefined || types.includes(link.type)) && isWithin(link.created_at, undefined, until);
}

function wasSaidWithin({ observationsOf }: Memory, row: EntityRow, { since, until }: Asked): boolean {
  if (since === undefined && until === undefined) return true;
  if (isWithin(row.created_at, since, until)) return true;
  return (observationsOf.get(row.name) ?? []).some(({ created_at }) => isWithin(created_at, since, until));
}
