import {
  categoryColors,
  colorAt,
  memoryStatusColors,
  symbolColors,
  type ValueColors,
  statusColors,
  typeColors,
} from '../../components/type-color.ts';
import { counts, type ShownEdge, type ShownGraph, type ShownNode } from './model.ts';
import type { Coloring } from './graph-url-state.ts';

/** An entry of the legend. */
export interface LegendEntry {
  readonly word: string;
  readonly color: string;
  readonly count: number;
  /** The kind that it represents; a community has both. */
  readonly kind?: ShownNode['kind'];
}

/** The colours of nodes and their legend. */
export interface Paint {
  readonly colorOf: (node: ShownNode) => string;
  readonly legend: readonly LegendEntry[];
}

const MIN_SIZE = 3;
const MAX_SIZE = 16;
const SIZE_GAIN = 1.6;
/** Number of nodes that are drawn in full size. */
const FULL_SIZE_NODES = 150;
const SQUARE_GAIN = 1.25;

/** Communities are detected in `communities.ts`, which is loaded on demand. */
export function paintOf(graph: ShownGraph, coloring: Exclude<Coloring, 'community'>, shown: 'light' | 'dark'): Paint {
  if (coloring === 'domain') return byDomain(graph, shown);
  const wordOf = (node: ShownNode): string => (coloring === 'type' ? node.type : node.status);
  const colorOf = (kind: ShownNode['kind'], word: string): string => VALUE_COLORS[coloring][kind].colorOf(word, shown);
  const legendOf = (kind: ShownNode['kind']): LegendEntry[] =>
    counts(graph.nodes.filter((node) => node.kind === kind).map(wordOf)).map((entry) => ({
      ...entry,
      kind,
      color: colorOf(kind, entry.word),
    }));
  const legend = [...legendOf('entity'), ...legendOf('memory'), ...legendOf('symbol')].sort(
    (a, b) => b.count - a.count,
  );
  return { colorOf: (node) => colorOf(node.kind, wordOf(node)), legend };
}

const VALUE_COLORS: Readonly<Record<'type' | 'status', Readonly<Record<ShownNode['kind'], ValueColors>>>> = {
  type: { entity: typeColors, memory: categoryColors, symbol: symbolColors },
  status: { entity: statusColors, memory: memoryStatusColors, symbol: symbolColors },
};

/** Entities belong to no domain. */
function byDomain({ nodes }: ShownGraph, shown: 'light' | 'dark'): Paint {
  const memories = nodes.filter(({ kind }) => kind === 'memory');
  const domains = counts(memories.map(({ domain = '' }) => domain));
  const indices = new Map(domains.map(({ word }, index) => [word, index]));
  const none = colorAt(Number.POSITIVE_INFINITY, shown);
  const legend: LegendEntry[] = domains.map((entry, index) => ({
    ...entry,
    kind: 'memory',
    color: colorAt(index, shown),
  }));
  const entities = nodes.length - memories.length;
  if (entities > 0) legend.push({ word: 'entities', kind: 'entity', color: none, count: entities });
  return {
    colorOf: ({ domain }) =>
      domain === undefined ? none : colorAt(indices.get(domain) ?? Number.POSITIVE_INFINITY, shown),
    legend,
  };
}

/** The scale of node sizes; larger graphs have smaller nodes. */
export function shrinkOf(count: number): number {
  return Math.min(1, (FULL_SIZE_NODES / Math.max(1, count)) ** 0.3);
}

/** The size of a node by its number of relations. Squares are enlarged, since they are inscribed in the disc. */
export function sizeOf({ kind, relations }: Pick<ShownNode, 'kind' | 'relations'>): number {
  const size = Math.min(MAX_SIZE, MIN_SIZE + SIZE_GAIN * Math.sqrt(relations));
  return kind === 'memory' ? size * SQUARE_GAIN : size;
}

/** The style of an edge. */
export type EdgeStyle = 'plain' | 'faded' | 'mention' | 'likely' | 'supports' | 'contradicts' | 'supersedes';

/** Known link types are emphasised; mentions are subdued. */
export function edgeStyleOf({ kind, types, isActive, isLikely }: ShownEdge): EdgeStyle {
  if (kind === 'mention') return 'mention';
  if (kind === 'call') return isLikely === true ? 'likely' : 'plain';
  if (!isActive) return 'faded';
  if (kind === 'relation') return 'plain';
  return LEGEND_LINK_TYPES.find((type) => types.includes(type)) ?? 'plain';
}

/** Types of links that the legend explains, in order of precedence: two memories may have several links. */
const LEGEND_LINK_TYPES = ['contradicts', 'supersedes', 'supports'] as const;

/** The edge styles of a graph that the legend explains, in its order. */
export function linesOf({ edges }: ShownGraph): readonly EdgeStyle[] {
  const found = new Set(edges.map(edgeStyleOf));
  return ([...LEGEND_LINK_TYPES, 'mention'] as const).filter((edgeStyle) => found.has(edgeStyle));
}
