// The times at which relations of entities began and ended.

import { instant } from './time.mjs';

/**
 * All links as relations with times. One without a day begins when both of its ends are known.
 *
 * @param {import("./read.mjs").Entity[]} entities
 */
export function relationsOf(entities) {
  const began = new Map(entities.map((entity) => [entity.name, entity.facts[0]?.createdAt ?? '']));
  return entities.flatMap((entity) =>
    entity.links.map((link) => {
      const seed = `${entity.name} ${link.type} ${link.to}`;
      const own = began.get(entity.name) ?? '';
      const other = began.get(link.to) ?? '';
      const relation = {
        from: entity.name,
        relation_type: link.type,
        to: link.to,
        ...(link.context !== undefined && { context: link.context }),
        weight: link.weight,
        active: link.until === undefined,
        created_at: link.from === undefined ? later(own, other) : instant(link.from, seed),
      };
      return link.until === undefined ? relation : { ...relation, ended_at: instant(link.until, seed) };
    }),
  );
}

function later(one, other) {
  return one > other ? one : other;
}
