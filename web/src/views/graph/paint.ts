import {
  categoryRanks,
  colorAt,
  memoryStatusRanks,
  type Ranks,
  statusRanks,
  typeRanks,
} from '../../components/type-color.ts';
import { counts, type ShownEdge, type ShownGraph, type ShownNode } from './model.ts';
import type { Coloring } from './graph-url-state.ts';

/** A line of the legend. */
export interface LegendEntry {
  readonly word: string;
  readonly color: string;
  readonly count: number;
  /** What it stands for; a community has both. */
  readonly kind?: ShownNode['kind'];
}

/** The colour of each node and what it means. */
export interface Paint {
  readonly colorOf: (node: ShownNode) => string;
  readonly legend: readonly LegendEntry[];
}

const SIZE_MIN = 3;
const SIZE_MAX = 16;
const SIZE_GAIN = 1.6;
/** So many nodes are drawn in full size. */
const FULL_SIZE_NODES = 150;
const SQUARE_GAIN = 1.25;

/** Communities are found by a library of its own: see `communities.ts`. */
export function paintOf(graph: ShownGraph, coloring: Exclude<Coloring, 'community'>, shown: 'light' | 'dark'): Paint {
  if (coloring === 'domain') return byDomain(graph, shown);
  const wordOf = (node: ShownNode): string => (coloring === 'type' ? node.type : node.status);
  const colorOf = (kind: ShownNode['kind'], word: string): string => RANKS[coloring][kind].colorOf(word, shown);
  const legendOf = (kind: ShownNode['kind']): LegendEntry[] =>
    counts(graph.nodes.filter((node) => node.kind === kind).map(wordOf)).map((entry) => ({
      ...entry,
      kind,
      color: colorOf(kind, entry.word),
    }));
  const legend = [...legendOf('entity'), ...legendOf('memory')].sort((a, b) => b.count - a.count);
  return { colorOf: (node) => colorOf(node.kind, wordOf(node)), legend };
}

const RANKS: Readonly<Record<'type' | 'status', Readonly<Record<ShownNode['kind'], Ranks>>>> = {
  type: { entity: typeRanks, memory: categoryRanks },
  status: { entity: statusRanks, memory: memoryStatusRanks },
};

/** Entities belong to no domain. */
function byDomain({ nodes }: ShownGraph, shown: 'light' | 'dark'): Paint {
  const memories = nodes.filter(({ kind }) => kind === 'memory');
  const domains = counts(memories.map(({ domain = '' }) => domain));
  const place = new Map(domains.map(({ word }, index) => [word, index]));
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
      domain === undefined ? none : colorAt(place.get(domain) ?? Number.POSITIVE_INFINITY, shown),
    legend,
  };
}

/** More nodes are drawn smaller, so that they do not cover each other: what to multiply sizes with. */
export function shrinkOf(count: number): number {
  return Math.min(1, (FULL_SIZE_NODES / Math.max(1, count)) ** 0.3);
}

/** Size by the number of relations. A square lies within the disc of its size, and looks smaller. */
export function sizeOf({ kind, relations }: Pick<ShownNode, 'kind' | 'relations'>): number {
  const size = Math.min(SIZE_MAX, SIZE_MIN + SIZE_GAIN * Math.sqrt(relations));
  return kind === 'memory' ? size * SQUARE_GAIN : size;
}

/** How a line is drawn. */
export type LineLook = 'plain' | 'faded' | 'mention' | 'supports' | 'contradicts' | 'supersedes';

/** Links of the types that the memory itself understands stand out; what is said of an entity in passing stands back. */
export function lookOf({ kind, types, isActive }: ShownEdge): LineLook {
  if (kind === 'mention') return 'mention';
  if (!isActive) return 'faded';
  if (kind === 'relation') return 'plain';
  return TOLD_TYPES.find((type) => types.includes(type)) ?? 'plain';
}

/** The weightiest first: two memories may be linked by several. */
const TOLD_TYPES = ['contradicts', 'supersedes', 'supports'] as const;

/** The looks of lines that need a word, in the order of the legend. */
export function linesOf({ edges }: ShownGraph): readonly LineLook[] {
  const found = new Set(edges.map(lookOf));
  return ([...TOLD_TYPES, 'mention'] as const).filter((look) => found.has(look));
}
