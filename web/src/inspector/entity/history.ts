import type { Output } from '../../source/tools.ts';

export type Observation = Output<'explore_entity'>['observations'][number];

/** A current observation and those that it superseded, latest first. */
export interface Fact {
  readonly current: Observation;
  readonly earlier: readonly Observation[];
}

/** Current observations, oldest first, each with its history. Observations whose successor was deleted stand alone. */
export function facts(observations: readonly Observation[]): { facts: Fact[]; orphans: Observation[] } {
  const byId = new Map(observations.map((observation) => [observation.id, observation]));
  const visited = new Set<number>();
  const found: Fact[] = [];
  for (const current of observations) {
    if (current.superseded_at !== undefined) continue;
    const earlier: Observation[] = [];
    visited.add(current.id);
    for (let id = current.supersedes; id !== undefined && !visited.has(id); ) {
      visited.add(id);
      const before = byId.get(id);
      if (before !== undefined) earlier.push(before);
      id = before?.supersedes;
    }
    found.push({ current, earlier });
  }
  return { facts: found, orphans: observations.filter(({ id }) => !visited.has(id)) };
}
