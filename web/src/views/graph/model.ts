import type { Output } from '../../source/tools.ts';

type Slice = Output<'explore_graph'>;

/** An entity as it is drawn. */
export interface ShownNode {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly status: string;
  readonly accessCount: number;
  /** Relations that hold, shown or not. */
  readonly relations: number;
  /** Relations that lead to entities that are not shown. */
  readonly unshown: number;
  readonly isFocus: boolean;
}

/** All relations from one entity to another, drawn as one line. */
export interface ShownEdge {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly types: readonly string[];
  readonly weight: number;
  /** Whether any of them holds. */
  readonly isActive: boolean;
}

export interface ShownGraph {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
}

/** Joins what was fetched and leaves out what is hidden. */
export function shownGraph(slices: readonly Slice[], hidden: ReadonlySet<string>, focus: ReadonlySet<string>): ShownGraph {
  const rows = new Map<number, Slice['nodes'][number]>();
  const relations = new Map<number, Slice['edges'][number]>();
  for (const { nodes, edges } of slices) {
    for (const node of nodes) if (!hidden.has(node.name)) rows.set(node.id, node);
    for (const edge of edges) relations.set(edge.id, edge);
  }
  const edges = new Map<string, ShownEdge>();
  const drawn = new Map<number, number>();
  for (const { from, to, relationType, weight, active } of relations.values()) {
    if (!rows.has(from) || !rows.has(to)) continue;
    if (active) {
      drawn.set(from, (drawn.get(from) ?? 0) + 1);
      if (to !== from) drawn.set(to, (drawn.get(to) ?? 0) + 1);
    }
    if (from === to) continue;
    const key = `${from}>${to}`;
    const known = edges.get(key);
    edges.set(key, {
      key,
      from: String(from),
      to: String(to),
      types: known === undefined ? [relationType] : [...new Set([...known.types, relationType])],
      weight: Math.max(known?.weight ?? 0, weight),
      isActive: active || known?.isActive === true,
    });
  }
  return {
    nodes: [...rows.values()].map((row) => ({
      key: String(row.id),
      name: row.name,
      type: row.entityType,
      status: row.status,
      accessCount: row.access_count,
      relations: row.relations,
      unshown: Math.max(0, row.relations - (drawn.get(row.id) ?? 0)),
      isFocus: focus.has(row.name),
    })),
    edges: [...edges.values()],
  };
}

/** How many of each word, most frequent first, then by the word. */
export function counts(words: Iterable<string>): { readonly word: string; readonly count: number }[] {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return [...found]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
}
