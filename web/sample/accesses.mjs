// Who was found when: from the searches, and from the work itself. Whoever adds a fact has looked up the entity and
// sees what is linked to it. What a search finds in the end was not known on its first days: it is left out there.

import { compare } from './read.mjs';
import { instant } from './time.mjs';

const MAX_NEIGHBOURS = 2;

/**
 * Every event of use, in order of time: the names that were seen together.
 *
 * @param {import("./read.mjs").Entity[]} entities
 * @param {{query: string, days: string[], found: string[], opened: string[]}[]} searches
 * @returns {{at: string, names: string[]}[]}
 */
export function events(entities, searches) {
  const began = new Map(entities.map((entity) => [entity.name, entity.facts[0]?.createdAt ?? '']));
  const all = [];
  for (const { query, days, found, opened } of searches) {
    for (const day of days) {
      const at = instant(day, `${query}/${day}`);
      const isKnown = (name) => (began.get(name) ?? at).slice(0, 10) <= at.slice(0, 10);
      all.push({ at, names: found.filter(isKnown) }, { at, names: opened.filter(isKnown) });
    }
  }
  for (const entity of entities) {
    for (const { createdAt: at } of entity.facts.slice(1)) {
      const known = entity.links.filter((link) => link.until === undefined && (began.get(link.to) ?? at) < at);
      const neighbours = known.slice(0, MAX_NEIGHBOURS).map((link) => link.to);
      all.push({ at, names: [...new Set([entity.name, ...neighbours])] });
    }
  }
  return all.sort((a, b) => compare(a.at, b.at) || compare(a.names.join(), b.names.join()));
}

/** The access records of the database: totals, days, and co-occurrences. */
export function tally(events) {
  const access = new Map();
  const days = new Map();
  const pairs = new Map();
  for (const { at, names } of events) {
    for (const entity of names) {
      const day = at.slice(0, 10);
      count(access, entity, { entity }, { last: at });
      count(days, `${entity}\n${day}`, { entity, day });
      for (const b of names)
        if (compare(entity, b) < 0) count(pairs, `${entity}\n${b}`, { a: entity, b }, { last: at });
    }
  }
  return { access: values(access), days: values(days), pairs: values(pairs) };
}

function count(map, key, fields, latest = {}) {
  map.set(key, { ...fields, count: (map.get(key)?.count ?? 0) + 1, ...latest });
}

function values(map) {
  return [...map].sort(([a], [b]) => compare(a, b)).map(([, value]) => value);
}
