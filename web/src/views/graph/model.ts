import type { Selection } from '../../app/route.ts';
import { counted } from '../../components/format.ts';
import { memoryTitle } from '../../components/memory-title.ts';
import type { Output } from '../../source/tools.ts';
import type { GraphUrlState } from './graph-url-state.ts';

type Slice = Output<'explore_graph'>;

/** A node of the graph; `kind` and `id` identify the record. */
export interface ShownNode extends Selection {
  readonly kind: 'entity' | 'memory' | 'symbol';
  readonly key: string;
  /** The label. */
  readonly name: string;
  /** Type of an entity or a symbol, category of a memory. */
  readonly type: string;
  readonly status: string;
  /** Domain of a memory. */
  readonly domain?: string;
  readonly accessCount: number;
  /** Number of active relations or links and of mentions, whether shown or not. */
  readonly relations: number;
  /** Number of those that lead to records that are not shown. */
  readonly unshown: number;
  readonly isFocus: boolean;
}

/** All relations, links or calls between two records, drawn as one edge. */
export interface ShownEdge {
  readonly key: string;
  readonly kind: 'relation' | 'link' | 'mention' | 'call';
  readonly from: string;
  readonly to: string;
  readonly types: readonly string[];
  readonly weight: number;
  /** Whether any of them is active. */
  readonly isActive: boolean;
  /** Whether none of several calls is certain. */
  readonly isLikely?: boolean;
}

export interface ShownGraph {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
}

type Chosen = Partial<Pick<GraphUrlState, 'shows' | 'hidden' | 'hiddenMemories' | 'focus' | 'focusMemories'>>;

/** The type of an edge from a memory to a mentioned entity. */
const MENTIONS = 'mentions';

/** The key of a memory; those of entities are numbers. */
export function memoryKey(id: string): string {
  return `m:${id}`;
}

/** Merges fetched parts and removes hidden records. */
export function shownGraph(
  slices: readonly Slice[],
  { shows = 'entities', hidden = [], hiddenMemories = [], focus = [], focusMemories = [] }: Chosen,
): ShownGraph {
  const drawn = new Map<string, number>();
  const entities = new Map<number, Slice['nodes'][number]>();
  const memories = new Map<string, Slice['memories'][number]>();
  const [unwanted, unwantedMemories] = [new Set(hidden), new Set(hiddenMemories)];
  for (const slice of slices) {
    for (const node of slice.nodes) if (!unwanted.has(node.name)) entities.set(node.id, node);
    for (const memory of slice.memories) if (!unwantedMemories.has(memory.id)) memories.set(memory.id, memory);
  }
  const edges = new Map<string, ShownEdge>();
  const draw = (
    kind: ShownEdge['kind'],
    from: string,
    to: string,
    type: string,
    weight: number,
    isActive = true,
  ): void => {
    if (isActive) for (const end of new Set([from, to])) drawn.set(end, (drawn.get(end) ?? 0) + 1);
    if (from === to) return;
    const key = `${from}>${to}`;
    const known = edges.get(key);
    edges.set(key, {
      key,
      kind,
      from,
      to,
      types: known === undefined ? [type] : [...new Set([...known.types, type])],
      weight: Math.max(known?.weight ?? 0, weight),
      isActive: isActive || known?.isActive === true,
    });
  };
  for (const { from, to, relationType, weight, active } of once(
    slices,
    ({ edges }) => edges,
    ({ id }) => id,
  )) {
    if (entities.has(from) && entities.has(to))
      draw('relation', String(from), String(to), relationType, weight, active);
  }
  for (const { from, to, type, strength } of once(
    slices,
    ({ links }) => links,
    ({ id }) => id,
  )) {
    if (memories.has(from) && memories.has(to)) draw('link', memoryKey(from), memoryKey(to), type, strength);
  }
  const mentioned = new Map<string, number>();
  for (const { memory, entity } of once(
    slices,
    ({ mentions }) => mentions,
    ({ memory, entity }) => `${entity} ${memory}`,
  )) {
    if (!memories.has(memory) || !entities.has(entity)) continue;
    draw('mention', memoryKey(memory), String(entity), MENTIONS, 1);
    // For an entity, only relations are counted.
    mentioned.set(String(entity), (mentioned.get(String(entity)) ?? 0) + 1);
  }
  const [inFocus, memoriesInFocus] = [new Set(focus), new Set(focusMemories)];
  const entityNodes = [...entities.values()].map((row): ShownNode => {
    const key = String(row.id);
    return {
      key,
      kind: 'entity',
      id: row.name,
      name: row.name,
      type: row.entityType,
      status: row.status,
      accessCount: row.access_count,
      relations: row.relations,
      unshown: Math.max(0, row.relations - (drawn.get(key) ?? 0) + (mentioned.get(key) ?? 0)),
      isFocus: inFocus.has(row.name),
    };
  });
  const memoryNodes = [...memories.values()].map((row): ShownNode => {
    const key = memoryKey(row.id);
    const relations = row.links + (shows === 'all' ? row.entities : 0);
    return {
      key,
      kind: 'memory',
      id: row.id,
      name: memoryTitle(row.content),
      type: row.category,
      status: row.status,
      domain: row.domain,
      accessCount: row.access_count,
      relations,
      unshown: Math.max(0, relations - (drawn.get(key) ?? 0)),
      isFocus: memoriesInFocus.has(row.id),
    };
  });
  return { nodes: [...entityNodes, ...memoryNodes], edges: [...edges.values()] };
}

/** The distinct records of the slices; the later state of a record is used. */
function once<T>(
  slices: readonly Slice[],
  of: (slice: Slice) => readonly T[],
  keyOf: (row: T) => string | number,
): Iterable<T> {
  const rows = new Map<string | number, T>();
  for (const slice of slices) for (const row of of(slice)) rows.set(keyOf(row), row);
  return rows.values();
}

/** The number of records of each kind, as text. */
export function nodesText({ nodes }: ShownGraph): string {
  const countOf = (wanted: ShownNode['kind']): number => nodes.filter(({ kind }) => kind === wanted).length;
  const [memories, symbols] = [countOf('memory'), countOf('symbol')];
  const entities = nodes.length - memories - symbols;
  const counts = [
    entities > 0 || memories + symbols === 0 ? counted(entities, 'entity', 'entities') : '',
    memories > 0 ? counted(memories, 'memory', 'memories') : '',
    symbols > 0 ? counted(symbols, 'symbol') : '',
  ];
  return counts.filter((part) => part !== '').join(', ');
}

/** Counts values, most frequent first, then in alphabetical order. */
export function counts(words: Iterable<string>): { readonly word: string; readonly count: number }[] {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return [...found]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
}
