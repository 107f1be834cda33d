import type { LinkRow, MemoryRow } from '../../../source/explorer-tools.ts';
import { differences, type Piece } from '../duplicates/groups.ts';

/** The origin of a contradiction. */
export type PairType =
  /** Stated by an agent or a person. */
  | 'contradicts'
  /** Detected by the core: similar embeddings, but not the same statement. Neither is hidden. */
  | 'possible_contradiction';

/** Two current memories that contradict each other. */
export interface Pair {
  /** Identifies the pair. */
  readonly key: string;
  readonly type: PairType;
  /** First the memory that recall ranks first; of a possible contradiction, the newer one. */
  readonly memories: readonly [MemoryRow, MemoryRow];
  /** The links between them: one, or one in each direction. */
  readonly links: readonly LinkRow[];
  /** Strength of the strongest link, 0 to 1. */
  readonly strength: number;
}

/** Undecided pairs, strongest first. Memories that have ended or expired are excluded. */
export function pairsOf(
  links: readonly LinkRow[],
  memories: readonly MemoryRow[],
  type: PairType = 'contradicts',
): Pair[] {
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  const linksOf = new Map<string, LinkRow[]>();
  for (const link of links) {
    const key = [link.from_id, link.to_id].sort().join(' ');
    linksOf.set(key, [...(linksOf.get(key) ?? []), link]);
  }
  const pairs: Pair[] = [];
  for (const [key, found] of linksOf) {
    const [from, to] = [byId.get(found[0]?.from_id ?? ''), byId.get(found[0]?.to_id ?? '')];
    if (from === undefined || to === undefined || from === to || isPast(from) || isPast(to)) continue;
    const strength = Math.max(...found.map((link) => link.strength));
    // A link of the core leads from the newer memory to the older, also if a third one hides the newer.
    const isHidden = type === 'contradicts' && from.status === 'contradicted' && to.status !== 'contradicted';
    pairs.push({
      key,
      type,
      memories: isHidden ? [to, from] : [from, to],
      links: found,
      strength,
    });
  }
  return pairs.sort((a, b) => b.strength - a.strength || a.key.localeCompare(b.key));
}

/** Maximum share of differing words for which differences are marked. */
const MAX_DIFFERING = 0.6;

/**
 * Splits a text into segments, marked by whether the other text has the words too, if the texts have enough in common.
 */
export function diffSegments(text: string, other: string): Piece[] {
  const pieces = differences(text, [other]);
  const differing = pieces.reduce((sum, piece) => sum + (piece.differs ? piece.text.length : 0), 0);
  return differing > text.length * MAX_DIFFERING ? [{ text, differs: false }] : pieces;
}

function isPast({ status }: MemoryRow): boolean {
  return status === 'ended' || status === 'expired';
}
