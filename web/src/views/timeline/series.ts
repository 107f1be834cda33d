/** The event series of the timeline, and their stacked bars. */
import {
  Bookmark,
  BookmarkCheck,
  Box,
  CalendarX2,
  CircleSlash,
  Eraser,
  Eye,
  History,
  Link2,
  type LucideIcon,
  NotebookPen,
  PencilLine,
  Search,
  Spline,
  Text,
} from 'lucide-react';
import type { Input, Output } from '../../source/tools.ts';

export type Bucket = Output<'explore_timeline'>['buckets'][number];
/** Series with bars. */
export type BarId = Exclude<keyof Bucket, 'start'>;
/** All series; those without counts over time are only in the list. */
export type SeriesId = BarId | 'memories_used' | 'memories_forgotten';
type EventKind = NonNullable<Input<'explore_events'>['kinds']>[number];
/** Accesses outnumber everything else, so they have their own lane and scale. */
export type Lane = 'stored' | 'used';

/** The group of a series: entities and their records, or memories. */
export type RecordGroup = 'entities' | 'memories';

export interface Series {
  readonly id: SeriesId;
  readonly title: string;
  /** The noun for one of its events. */
  readonly one: string;
  readonly group: RecordGroup;
  /** The lane of its bars, if it has any. */
  readonly lane?: Lane;
  /** Its events, as `explore_events` names them. */
  readonly event: EventKind;
  readonly icon: LucideIcon;
}

/** The series, from the bottom of the stack to its top; the index determines the colour. */
export const SERIES: readonly Series[] = [
  {
    id: 'entities',
    title: 'Entities',
    one: 'Entity',
    group: 'entities',
    lane: 'stored',
    event: 'entity_created',
    icon: Box,
  },
  {
    id: 'observations',
    title: 'Observations',
    one: 'Observation',
    group: 'entities',
    lane: 'stored',
    event: 'observation_added',
    icon: Text,
  },
  {
    id: 'relations',
    title: 'Relations',
    one: 'Relation',
    group: 'entities',
    lane: 'stored',
    event: 'relation_created',
    icon: Link2,
  },
  {
    id: 'reflections',
    title: 'Reflections',
    one: 'Reflection',
    group: 'entities',
    lane: 'stored',
    event: 'reflection_added',
    icon: NotebookPen,
  },
  {
    id: 'superseded',
    title: 'Superseded',
    one: 'Superseded',
    group: 'entities',
    lane: 'stored',
    event: 'observation_superseded',
    icon: History,
  },
  {
    id: 'ended',
    title: 'Ended relations',
    one: 'Ended',
    group: 'entities',
    lane: 'stored',
    event: 'relation_ended',
    icon: CircleSlash,
  },
  {
    id: 'searches',
    title: 'Searches',
    one: 'Search',
    group: 'entities',
    lane: 'used',
    event: 'search',
    icon: Search,
  },
  { id: 'accesses', title: 'Accesses', one: 'Access', group: 'entities', lane: 'used', event: 'access', icon: Eye },
  {
    id: 'memories',
    title: 'Memories',
    one: 'Stored',
    group: 'memories',
    lane: 'stored',
    event: 'memory_stored',
    icon: Bookmark,
  },
  {
    id: 'memories_changed',
    title: 'Changed',
    one: 'Changed',
    group: 'memories',
    lane: 'stored',
    event: 'memory_changed',
    icon: PencilLine,
  },
  {
    id: 'memories_ended',
    title: 'Ended memories',
    one: 'Ended',
    group: 'memories',
    lane: 'stored',
    event: 'memory_ended',
    icon: CalendarX2,
  },
  {
    id: 'memories_linked',
    title: 'Linked',
    one: 'Linked',
    group: 'memories',
    lane: 'stored',
    event: 'memory_linked',
    icon: Spline,
  },
  {
    id: 'memories_used',
    title: 'Recalled',
    one: 'Recalled',
    group: 'memories',
    event: 'memory_used',
    icon: BookmarkCheck,
  },
  {
    id: 'memories_forgotten',
    title: 'Deleted',
    one: 'Deleted',
    group: 'memories',
    event: 'memory_forgotten',
    icon: Eraser,
  },
];

export interface Block {
  readonly series: BarId;
  readonly bucket: number;
  /** Shares of the lane's height, from its bottom. */
  readonly bottom: number;
  readonly height: number;
}

/** The blocks of a lane, and the count of its highest bar. */
export function stacked(buckets: readonly Bucket[], shown: readonly BarId[]): { blocks: Block[]; max: number } {
  const max = Math.max(0, ...buckets.map((bucket) => sum(bucket, shown)));
  const blocks: Block[] = [];
  for (const [index, bucket] of buckets.entries()) {
    let bottom = 0;
    for (const series of shown) {
      if (bucket[series] === 0) continue;
      const height = bucket[series] / max;
      blocks.push({ series, bucket: index, bottom, height });
      bottom += height;
    }
  }
  return { blocks, max };
}

/** The bars of a lane that are shown, from the bottom of the stack to its top. */
export function barsOf(lane: Lane, hidden: ReadonlySet<SeriesId>): BarId[] {
  return SERIES.filter(
    (series): series is Series & { readonly id: BarId } => series.lane === lane && !hidden.has(series.id),
  ).map(({ id }) => id);
}

function sum(bucket: Bucket, shown: readonly BarId[]): number {
  return shown.reduce((total, series) => total + bucket[series], 0);
}
