/** What is left of a memory's confidence: half after a time that its type sets, longer where it was used. */
const FLOOR = 0.05;
const DAY_MILLIS = 86_400_000;
const HALF_LIFE_DAYS: Readonly<Record<string, number>> = { episodic: 30, procedural: 365 };
const HALF_LIFE_DAYS_OTHERWISE = 180;

interface Aging {
  readonly confidence: number;
  readonly memory_type: string;
  readonly pinned: boolean;
  readonly access_count: number;
}

/** `since` is the moment that the confidence is of. */
export function trustAt(memory: Aging, since: string, nowMillis: number): number {
  if (memory.pinned) return memory.confidence;
  const days = Math.max(0, (nowMillis - millisOf(since)) / DAY_MILLIS) || 0;
  const age = days / (1 + 0.5 * Math.log(1 + memory.access_count));
  return Math.max(FLOOR, memory.confidence * 2 ** (-age / (HALF_LIFE_DAYS[memory.memory_type] ?? HALF_LIFE_DAYS_OTHERWISE)));
}

/** Of a time as an export has it, which is UTC. */
export function millisOf(at: string): number {
  return Date.parse(`${at.replace(' ', 'T')}Z`);
}

export function timeOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 19).replace('T', ' ');
}
