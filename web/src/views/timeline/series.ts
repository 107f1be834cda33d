/** What happens to a memory, and how it is stacked into bars. */
import { Box, CircleSlash, Eye, History, Link2, type LucideIcon, NotebookPen, Search, Text } from 'lucide-react';
import type { Input, Output } from '../../source/tools.ts';

export type Bucket = Output<'explore_timeline'>['buckets'][number];
export type SeriesId = Exclude<keyof Bucket, 'start'>;
type EventKind = NonNullable<Input<'explore_events'>['kinds']>[number];
/** Finds outnumber everything else, so use has a lane and a scale of its own. */
export type Lane = 'stored' | 'used';

export interface Series {
  readonly id: SeriesId;
  readonly title: string;
  /** One of its events, in a word. */
  readonly one: string;
  readonly lane: Lane;
  /** Its events, as `explore_events` names them. */
  readonly event: EventKind;
  readonly icon: LucideIcon;
}

/** From the bottom of the stack to its top; a series keeps its colour by its place. */
export const SERIES: readonly Series[] = [
  { id: 'entities', title: 'Entities', one: 'New', lane: 'stored', event: 'entity_created', icon: Box },
  { id: 'observations', title: 'Observations', one: 'Observed', lane: 'stored', event: 'observation_added', icon: Text },
  { id: 'relations', title: 'Relations', one: 'Related', lane: 'stored', event: 'relation_created', icon: Link2 },
  { id: 'reflections', title: 'Reflections', one: 'Reflected', lane: 'stored', event: 'reflection_added', icon: NotebookPen },
  { id: 'superseded', title: 'Superseded', one: 'Superseded', lane: 'stored', event: 'observation_superseded', icon: History },
  { id: 'ended', title: 'Ended', one: 'Ended', lane: 'stored', event: 'relation_ended', icon: CircleSlash },
  { id: 'searches', title: 'Searches', one: 'Searched', lane: 'used', event: 'search', icon: Search },
  { id: 'accesses', title: 'Found', one: 'Found', lane: 'used', event: 'access', icon: Eye },
];

export interface Block {
  readonly series: SeriesId;
  readonly bucket: number;
  /** Shares of the lane's height, from its bottom. */
  readonly bottom: number;
  readonly height: number;
}

/** The blocks of a lane, and how many things its highest bar stands for. */
export function stacked(buckets: readonly Bucket[], shown: readonly SeriesId[]): { blocks: Block[]; most: number } {
  const most = Math.max(0, ...buckets.map((bucket) => sum(bucket, shown)));
  const blocks: Block[] = [];
  for (const [index, bucket] of buckets.entries()) {
    let bottom = 0;
    for (const series of shown) {
      if (bucket[series] === 0) continue;
      const height = bucket[series] / most;
      blocks.push({ series, bucket: index, bottom, height });
      bottom += height;
    }
  }
  return { blocks, most };
}

function sum(bucket: Bucket, shown: readonly SeriesId[]): number {
  return shown.reduce((total, series) => total + bucket[series], 0);
}
