/** What `explore_stats` answers, as far as a page without a database can tell. */
import type { Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';

type Stats = Output<'explore_stats'>;

export function stats({ entities, observations, relations, reflections, pairs }: Memory): Stats {
  const current = observations.filter((row) => row.superseded_at === undefined);
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
      memories: 0,
      memories_ended: 0,
      links: 0,
      domains: 0,
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
    categories: [],
    memory_types: [],
    tiers: [],
    domains: [],
    users: [],
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
