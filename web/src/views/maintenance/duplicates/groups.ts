import type { Output } from '../../../source/tools.ts';

type Found = Output<'find_duplicate_observations'>;

export interface Member {
  readonly id: number;
  readonly text: string;
}

/** Near-duplicate observations. */
export interface Group {
  /** Identifies the group by its observations. */
  readonly key: string;
  /** Oldest first. */
  readonly members: readonly Member[];
  /** Similarity of its closest pair, 0 to 1. */
  readonly likeness: number;
  /** The criteria by which they match, as the tool names them. */
  readonly ways: readonly string[];
}

/** The clusters with their texts, most similar first. Members without a text in any pair are omitted. */
export function groupsOf({ duplicate_pairs, clusters }: Pick<Found, 'duplicate_pairs' | 'clusters'>): Group[] {
  const textOf = new Map<number, string>();
  for (const { id_a, id_b, obs_text_a, obs_text_b } of duplicate_pairs)
    textOf.set(id_a, obs_text_a).set(id_b, obs_text_b);
  const groups = clusters.map((ids): Group => {
    const inside = new Set(ids);
    const pairs = duplicate_pairs.filter(({ id_a, id_b }) => inside.has(id_a) && inside.has(id_b));
    const members = [...ids]
      .sort((a, b) => a - b)
      .flatMap((id) => {
        const text = textOf.get(id);
        return text === undefined ? [] : [{ id, text }];
      });
    return {
      key: members.map(({ id }) => id).join(' '),
      members,
      likeness: Math.max(0, ...pairs.map(({ similarity_score }) => similarity_score)),
      ways: [...new Set(pairs.map(({ match_type }) => match_type))].sort(),
    };
  });
  return groups
    .filter(({ members }) => members.length > 1)
    .sort((a, b) => b.likeness - a.likeness || a.key.localeCompare(b.key));
}

/** The default observation to keep: the longest, or of equally long ones the newest. */
export function suggestedKeeper(members: readonly Member[]): number {
  const best = members.reduce((found, member) => (member.text.length >= found.text.length ? member : found));
  return best.id;
}

export interface Piece {
  readonly text: string;
  /** Whether the other texts do not have this word. */
  readonly differs: boolean;
}

/** Splits a text into segments, marked by whether every other text has the words too. */
export function differences(text: string, others: readonly string[]): Piece[] {
  const known = others.map((other) => new Set(wordsOf(other)));
  const pieces: Piece[] = [];
  for (const part of text.split(/(?<=\s)(?=\S)/)) {
    const differs = wordsOf(part).some((word) => known.some((set) => !set.has(word)));
    const last = pieces.at(-1);
    if (last?.differs === differs) pieces[pieces.length - 1] = { text: last.text + part, differs };
    else pieces.push({ text: part, differs });
  }
  return pieces.flatMap(({ text: content, differs }) => {
    const word = content.trimEnd();
    const space = content.slice(word.length);
    return differs && space !== ''
      ? [
          { text: word, differs },
          { text: space, differs: false },
        ]
      : [{ text: content, differs }];
  });
}

function wordsOf(text: string): string[] {
  return text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
