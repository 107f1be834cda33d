/** View models of the statistics. */
import type { Output } from '../../source/tools.ts';

type Stats = Output<'explore_stats'>;

export interface Share {
  readonly name: string;
  readonly count: number;
  /** Length of the bar relative to the largest, 0 to 1. */
  readonly part: number;
}

interface Count {
  readonly name: string;
  readonly count: number;
}

/** The largest counts, and the sum of the others. */
export function topOf(
  counts: readonly Count[],
  limit: number,
): { readonly shares: readonly Share[]; readonly rest: number; readonly restCount: number } {
  const shown = counts.slice(0, limit);
  const largest = Math.max(1, ...shown.map(({ count }) => count));
  const others = counts.slice(limit);
  return {
    shares: shown.map(({ name, count }) => ({ name, count, part: count / largest })),
    rest: others.length,
    restCount: others.reduce((sum, { count }) => sum + count, 0),
  };
}

/** The share of texts that have a vector, 0 to 1; `undefined` if there is nothing to embed. */
export function embeddedPart({ vectors, queue }: Pick<Stats, 'vectors' | 'queue'>): number | undefined {
  const stored = vectors.entities + vectors.observations + vectors.reflections + vectors.memories;
  const all = stored + queue.waiting + queue.failed;
  return all === 0 ? undefined : stored / all;
}

/** The numbers at the top, each with a note. */
export function headline({
  counts,
}: Pick<Stats, 'counts'>): readonly { readonly name: string; readonly count: number; readonly note: string }[] {
  const note = (count: number, text: string): string => (count === 0 ? '' : `${count.toLocaleString('en')} ${text}`);
  return [
    { name: 'Entities', count: counts.entities, note: note(counts.placeholders, 'referenced only') },
    {
      name: 'Observations',
      count: counts.observations,
      note: [note(counts.superseded, 'superseded'), note(counts.flagged, 'flagged')]
        .filter((text) => text !== '')
        .join(', '),
    },
    { name: 'Relations', count: counts.relations, note: note(counts.ended, 'ended') },
    { name: 'Reflections', count: counts.reflections, note: '' },
    { name: 'Memories', count: counts.memories, note: note(counts.memories_ended, 'no longer current') },
    {
      name: 'Links',
      count: counts.links,
      note: counts.domains > 1 ? `in ${counts.domains.toLocaleString('en')} domains` : '',
    },
    { name: 'Searches', count: counts.searches, note: '' },
    { name: 'Co-occurrences', count: counts.found_together, note: 'pairs' },
  ];
}

/** Memories by status, most frequent first. Past ones are distinguished when their counts are known. */
export function memoryStatuses(
  current: number,
  past: number,
  expired: number | undefined,
  contradicted: number | undefined,
): Count[] {
  const counts =
    expired === undefined || contradicted === undefined
      ? [{ name: 'current', count: current }]
      : [
          { name: 'current', count: current },
          { name: 'ended', count: Math.max(0, past - expired - contradicted) },
          { name: 'expired', count: expired },
          { name: 'contradicted', count: contradicted },
        ];
  return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}

/** The answer of `search_quality_report`, which older servers do not offer. */
export interface Quality {
  readonly events: number;
  readonly by_treatment: readonly {
    readonly treatment: string;
    readonly n: number;
    readonly judged: number;
    readonly ndcg_at_5?: number;
    readonly lift_at_5?: number;
  }[];
  readonly parameters: { readonly beta: number; readonly gamma: number };
  readonly tuned_at?: string;
}

/** A difference with its sign. */
export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
