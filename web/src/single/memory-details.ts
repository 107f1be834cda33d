/** What `explore_memory` answers. The log of what was done to it is not in an export, nor is what is expected of its confidence. */
import type { Output } from '../source/tools.ts';
import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';
import { millisOf, timeOf, trustAt } from './trust.ts';

type Details = Output<'explore_memory'>;

const SESSIONS_MAX = 50;
const STEPS = 12;

export function memoryDetails({ memories }: Memory, id: string, nowMillis: number): Details {
  const kept = memories.keptOf.get(id);
  if (kept === undefined) throw refusal('not_found', `There is no memory of this id in this page: ${id}`);
  const { row, more, trustedAt } = kept;
  const history = [...(memories.historyOf.get(id) ?? [])];
  const links = [...(memories.linksOf.get(id) ?? [])].sort((a, b) => (a.created_at < b.created_at ? -1 : Number(a.created_at > b.created_at)) || (a.id < b.id ? -1 : 1));
  const entities = (memories.mentionsOf.get(id) ?? []).map(({ entity: { id: number, name, entityType }, given }) => ({ id: number, name, entityType, given }));
  const start = millisOf(trustedAt);
  const faded = Array.from({ length: STEPS + 1 }, (_, step) => start + ((nowMillis - start) * step) / STEPS).filter((millis) => !Number.isNaN(millis));
  const points = [
    ...history.map(({ replaced_at, confidence }) => ({ at: replaced_at, value: confidence, is_expected: false })).filter(({ at }) => at < trustedAt),
    ...faded.map((millis) => ({ at: timeOf(millis), value: trustAt(row, trustedAt, millis), is_expected: false })),
  ];
  return {
    memory: { ...row, ...more },
    history,
    links,
    entities: entities.sort((a, b) => (a.name < b.name ? -1 : 1)),
    confidence: { points },
    sessions: [...(memories.sessionsOf.get(id) ?? [])].sort((a, b) => (a.last_used > b.last_used ? -1 : 1)).slice(0, SESSIONS_MAX),
    audit: [],
    vector: 'none',
  };
}
