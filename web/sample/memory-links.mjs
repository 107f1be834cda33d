// Links between memories: when they were made, and which memories they end.

import { sessionAt } from './time.mjs';

/**
 * All links with both ends and the moment. One without a day was made when its memory said what it says in the end and
 * the other was there.
 *
 * @param {import("./memories.mjs").Memory[]} memories
 */
export function linksOf(memories) {
  const known = new Map(memories.map((memory) => [memory.id, memory]));
  return memories.flatMap((from) =>
    from.links.flatMap((link) => {
      const to = known.get(link.to);
      if (to === undefined) return [];
      const own = from.texts.at(-1)?.createdAt ?? '';
      const other = to.texts[0]?.createdAt ?? '';
      const at = link.day === undefined ? (own > other ? own : other) : sessionAt(link.day);
      return [{ ...link, from, to, at, isReference: from.domain !== to.domain }];
    }),
  );
}

/**
 * When memories ended, why, and what took their place, by id.
 *
 * @param {import("./memories.mjs").Memory[]} memories
 * @returns {Map<string, {at: string, reason?: string, successor?: string}>}
 */
export function endsOf(memories) {
  const ends = new Map();
  for (const { id, end } of memories)
    if (end !== undefined) ends.set(id, { at: sessionAt(end.day), reason: end.reason });
  for (const { type, from, to, at, isReference } of linksOf(memories)) {
    if (type === 'supersedes' && !isReference) ends.set(to.id, { ...ends.get(to.id), at, successor: from.id });
  }
  return ends;
}
