// The effects of accesses on a memory: count, confidence, heat, tier. The formulas are those of
// crates/limbic-core/src/model/decay.rs, applied at each access; nothing has decayed, since no maintenance has run yet.

import { sessionAt } from './time.mjs';

const HALF_LIFE_DAYS = { episodic: 30, semantic: 180, procedural: 365 };
const RECALLED = 0.05;
const FLOOR = 0.05;
const ACCESSES_FOR_L2 = 3;
const SESSIONS_FOR_L1 = 5;
const DAY_MILLIS = 86_400_000;

/**
 * The state of a memory at the end of the sample.
 *
 * @param {import("./memories.mjs").Memory} memory
 */
export function finalState(memory) {
  const latest = memory.texts.at(-1) ?? { confidence: 1, createdAt: '' };
  const state = { count: 0, tier: memory.tier, confidence: latest.confidence, promotions: 0 };
  let last = memory.texts.length > 1 ? latest.createdAt : undefined;
  for (const [index, { day, times }] of memory.uses.entries()) {
    const at = sessionAt(day);
    for (let time = 0; time < times; time += 1) {
      if (at > latest.createdAt) state.confidence = raised(state, memory, daysBetween(last ?? latest.createdAt, at));
      state.count += 1;
      const tier = promoted(state.tier, state.count, index + 1);
      if (tier !== undefined) Object.assign(state, { tier, promotions: state.promotions + 1 });
      if (last === undefined || at > last) last = at;
    }
  }
  const moved = memory.isUnmoved ? { tier: memory.tier, heat: 'cold', promotions: 0 } : { heat: heat(state.count) };
  return { ...state, ...moved, confidence: Math.round(state.confidence * 100) / 100, last };
}

function raised({ confidence, count }, { memoryType, isPinned }, days) {
  if (isPinned) return Math.min(1, confidence + RECALLED);
  const age = Math.max(0, days) / (1 + 0.5 * Math.log(1 + count));
  return Math.min(1, Math.max(FLOOR, confidence * 2 ** (-age / HALF_LIFE_DAYS[memoryType])) + RECALLED);
}

function promoted(tier, count, sessions) {
  if ((tier === 'l4' || tier === 'l3') && count >= ACCESSES_FOR_L2) return 'l2';
  return tier === 'l2' && sessions >= SESSIONS_FOR_L1 ? 'l1' : undefined;
}

function heat(count) {
  if (count >= 10) return 'hot';
  return count >= 3 ? 'warm' : 'cold';
}

function daysBetween(earlier, later) {
  return (millis(later) - millis(earlier)) / DAY_MILLIS;
}

function millis(at) {
  return Date.parse(`${at.replace(' ', 'T')}Z`);
}
