/** What `explore_stats` answers, as far as a page without a database can tell. */
import type { Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';

type Stats = Output<'explore_stats'>;

export function stats({ entities, observations, relations, reflections, pairs, memories: { rows, links, domains } }: Memory): Stats {
  const current = observations.filter((row) => row.superseded_at === undefined);
  const currentMemories = rows.filter(({ status }) => status === 'current');
  const active = relations.filter((row) => row.active);
  return {
    schema_version: 0,
    file: { bytes: 0, page_bytes: 0, pages: 0, free_pages: 0 },
    counts: {
      entities: entities.length,
      placeholders: 0,
      observations: current.length,
      superseded: observations.length - current.length,
      flagged: 0,
      relations: active.length,
      ended: relations.length - active.length,
      reflections: reflections.length,
      memories: currentMemories.length,
      memories_ended: rows.length - currentMemories.length,
      links: links.length,
      domains: domains.domains.length,
      searches: 0,
      found_together: pairs.length,
    },
    vectors: { entities: 0, observations: 0, reflections: 0, memories: 0 },
    queue: { waiting: 0, failed: 0 },
    tokens: { texts: 0, tokens: 0, bytes: 0 },
    entity_types: counted(entities.map(({ entityType }) => entityType)),
    statuses: counted(entities.map(({ status }) => status)),
    relation_types: counted(active.map(({ relationType }) => relationType)),
    observation_kinds: counted(current.map(({ kind }) => kind)),
    categories: counted(rows.map(({ category }) => category)),
    memory_types: counted(rows.map(({ memory_type }) => memory_type)),
    tiers: counted(rows.map(({ tier }) => tier)),
    domains: domains.domains.map(({ id, memories }) => ({ name: id, count: memories })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    users: counted(rows.flatMap(({ user_id: user }) => user ?? [])),
    authors: counted(reflections.map(({ author }) => author)),
    searches_per_day: [],
    accesses_per_day: [],
    largest: [],
  };
}

/** Words with how often they occur, most frequent first. */
function counted(words: readonly string[]): { name: string; count: number }[] {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return [...found].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
