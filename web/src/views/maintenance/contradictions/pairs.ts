import type { LinkRow, MemoryRow } from '../../../source/explorer-tools.ts';
import { differences, type Piece } from '../duplicates/groups.ts';

/** What says that two memories contradict each other. */
export type PairType =
  /** An agent or a person. */
  | 'contradicts'
  /** The core: the two are near in meaning, and not the same statement. It hides neither. */
  | 'possible_contradiction';

/** Two memories that contradict each other, while both still stand. */
export interface Pair {
  /** The same as long as the same two are meant. */
  readonly key: string;
  readonly type: PairType;
  /** The one that recall shows first. The other is hidden from it or, where the contradiction is only possible, the older one. */
  readonly memories: readonly [MemoryRow, MemoryRow];
  /** What says so: a link in one direction, or one in each. */
  readonly links: readonly LinkRow[];
  /** What the strongest of them says, 0 to 1. */
  readonly strength: number;
}

/** Pairs that nobody has decided, the strongest first. What has ended or expired contradicts nothing any more. */
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
    // A link of the core leads from the newer memory to the older.
    pairs.push({
      key,
      type,
      memories: from.status === 'contradicted' && to.status !== 'contradicted' ? [to, from] : [from, to],
      links: found,
      strength,
    });
  }
  return pairs.sort((a, b) => b.strength - a.strength || a.key.localeCompare(b.key));
}

/** From more than this on, marks would tell nothing. */
const DIFFERING_MAX = 0.6;

/** A text in pieces, told apart by whether the other has the words too, as long as they have much in common. */
export function diffSegments(text: string, other: string): Piece[] {
  const pieces = differences(text, [other]);
  const differing = pieces.reduce((sum, piece) => sum + (piece.differs ? piece.text.length : 0), 0);
  return differing > text.length * DIFFERING_MAX ? [{ text, differs: false }] : pieces;
}

function isPast({ status }: MemoryRow): boolean {
  return status === 'ended' || status === 'expired';
}
