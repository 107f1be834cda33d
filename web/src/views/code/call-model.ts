/** The calls around a symbol, as a graph and as lists. */
import type { Output } from '../../source/tools.ts';
import type { ShownEdge, ShownGraph, ShownNode } from '../graph/model.ts';
import { SYMBOL } from './code-url-state.ts';

export type SymbolGraph = Output<'symbol_graph'>;
export type SymbolRow = SymbolGraph['nodes'][number];
export type SymbolEdge = SymbolGraph['edges'][number];

/**
 * The calls of several answers as a graph: calls between the same symbols are one edge, which is likely if none of them
 * is resolved.
 */
export function callGraph(answers: readonly SymbolGraph[], focus: string): ShownGraph {
  const symbols = new Map<string, SymbolRow>();
  for (const { nodes } of answers) for (const node of nodes) symbols.set(node.symbol_id, node);
  const edges = new Map<string, ShownEdge>();
  const degree = new Map<string, number>();
  const ends = new Set<string>(symbols.keys());
  for (const edge of answers.flatMap(({ edges: found }) => found)) {
    const { from, to, type, tier } = edge;
    if (type !== 'calls' || from === to || !symbols.has(to)) continue;
    const key = `${from}>${to}`;
    const known = edges.get(key);
    const isLikely = tier !== 'resolved' && known?.isLikely !== false;
    edges.set(key, { key, kind: 'call', from, to, types: ['calls'], weight: 1, isActive: true, isLikely });
    if (known !== undefined) continue;
    for (const end of [from, to]) {
      ends.add(end);
      degree.set(end, (degree.get(end) ?? 0) + 1);
    }
  }
  const frontier = new Set(answers.flatMap(({ frontier: found }) => found));
  const nodes = [...ends].map((id): ShownNode => {
    const symbol = symbols.get(id);
    return {
      key: id,
      kind: SYMBOL,
      id,
      // The top level of a file is not a symbol.
      name: symbol?.name ?? baseName(id),
      type: symbol?.symbol_type ?? 'module',
      status: '',
      accessCount: 0,
      relations: degree.get(id) ?? 0,
      unshown: frontier.has(id) ? 1 : 0,
      isFocus: id === focus,
    };
  });
  return { nodes, edges: [...edges.values()] };
}

/** A relation of a symbol, as a line of a list. */
export interface Relation {
  readonly key: string;
  /** The other symbol; missing for the top level of a file. */
  readonly symbol: SymbolRow | undefined;
  readonly name: string;
  readonly isLikely: boolean;
  /** The location of the reference. */
  readonly path: string;
  readonly line: number;
  /** Number of further references by the same symbol. */
  readonly more: number;
}

export type RelationTitle =
  | 'Called by'
  | 'Calls'
  | 'Implemented by'
  | 'Referenced by'
  | 'Members'
  | 'Implements'
  | 'Uses';

const INWARD: Readonly<Record<string, RelationTitle>> = {
  calls: 'Called by',
  implements: 'Implemented by',
  extends: 'Implemented by',
};
const OUTWARD: Readonly<Record<string, RelationTitle>> = {
  calls: 'Calls',
  contains: 'Members',
  implements: 'Implements',
  extends: 'Implements',
};
const ORDER: readonly RelationTitle[] = [
  'Called by',
  'Calls',
  'Members',
  'Implements',
  'Implemented by',
  'Referenced by',
  'Uses',
];

/** The relations of a symbol by kind, each other symbol once per list; empty lists are omitted. */
export function relationsOf(
  id: string,
  answers: readonly SymbolGraph[],
): readonly (readonly [RelationTitle, readonly Relation[]])[] {
  const symbols = new Map(answers.flatMap(({ nodes }) => nodes).map((node) => [node.symbol_id, node]));
  const lists = new Map<RelationTitle, Map<string, Relation>>();
  const seen = new Set<string>();
  for (const edge of answers.flatMap(({ edges }) => edges)) {
    const { from, to, type, tier, file_path: path, line } = edge;
    const edgeKey = `${from}>${to} ${type} ${path} ${line}`;
    if (from === to || (from !== id && to !== id) || seen.has(edgeKey)) continue;
    seen.add(edgeKey);
    const isInward = to === id;
    // The container of a symbol is shown by its qualified name.
    if (isInward && type === 'contains') continue;
    const title = isInward ? (INWARD[type] ?? 'Referenced by') : (OUTWARD[type] ?? 'Uses');
    const other = isInward ? from : to;
    const list = lists.get(title) ?? new Map<string, Relation>();
    lists.set(title, list);
    const known = list.get(other);
    const symbol = symbols.get(other);
    const isLikely = tier !== 'resolved';
    list.set(
      other,
      known === undefined
        ? { key: other, symbol, name: symbol?.name ?? baseName(other), isLikely, path, line, more: 0 }
        : { ...known, isLikely: known.isLikely && isLikely, more: known.more + 1 },
    );
  }
  return ORDER.flatMap((title) => {
    const list = lists.get(title);
    return list === undefined ? [] : [[title, [...list.values()]] as const];
  });
}

/** The last part of a path. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/^[^:/]*:/, '');
}
