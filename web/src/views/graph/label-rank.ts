import type { ShownNode } from './model.ts';
import type { LabelledNode } from './place-labels.ts';

/** The nodes of highest degree are hubs: this share of all, within MIN_HUBS and MAX_HUBS. */
const HUBS_SHARE = 0.03;
const MIN_HUBS = 8;
const MAX_HUBS = 16;

export interface RankedNode extends Pick<LabelledNode, 'rank'> {
  readonly key: string;
}

type Ranked = Pick<ShownNode, 'key' | 'isFocus' | 'relations' | 'accessCount'>;

/** Nodes in the order in which they get labels: those in focus, then by degree, then by access count. */
export function rankedNodes(nodes: readonly Ranked[]): readonly RankedNode[] {
  const hubs = Math.min(MAX_HUBS, Math.max(MIN_HUBS, Math.ceil(nodes.length * HUBS_SHARE)));
  const focus = nodes.filter(({ isFocus }) => isFocus).length;
  return [...nodes]
    .sort((a, b) => Number(b.isFocus) - Number(a.isFocus) || b.relations - a.relations || b.accessCount - a.accessCount)
    .map(({ key, isFocus }, index) => ({ key, rank: isFocus ? 'focus' : index < focus + hubs ? 'hub' : 'other' }));
}
