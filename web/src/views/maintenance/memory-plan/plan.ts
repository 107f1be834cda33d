import type { Output } from '../../../source/tools.ts';
import { type Action, ACTIONS } from '../maintenance-url-state.ts';

export type Plan = Output<'memory_maintain'>;
export type Line = Plan['plan'][number];

interface ActionTitle {
  readonly title: string;
  /** A description of the action. */
  readonly detail: string;
}

export const ACTION_TITLES: Readonly<Record<Action, ActionTitle>> = {
  expire: { title: 'Expired', detail: 'Past their expiry date: deleted.' },
  prune: { title: 'Decayed', detail: 'Confidence below the threshold, or replaced long ago: deleted.' },
  contradictions: {
    title: 'Contradictions',
    detail: 'The memory that recall hides is marked as replaced by the other.',
  },
  tiers: { title: 'Tiers and heat', detail: 'Moved up by accesses, down without them.' },
  decay: { title: 'Decay', detail: 'The decayed confidence is stored.' },
};

/** The lines of an action, in the order of the plan. */
export interface PlanGroup extends ActionTitle {
  readonly action: string;
  readonly lines: readonly Line[];
  /** Number of due changes beyond those listed. */
  readonly more: number;
}

/** The plan by action, deletions first. Unknown actions come last, under their own names. */
export function groupsOf({ plan, totals = {} }: Pick<Plan, 'plan' | 'totals'>): PlanGroup[] {
  const known: readonly string[] = ACTIONS;
  const others = [...new Set([...plan.map(({ action }) => action), ...Object.keys(totals)])]
    .filter((action) => !known.includes(action))
    .sort();
  return [...known, ...others]
    .map((action): PlanGroup => {
      const lines = plan.filter((line) => line.action === action);
      const { title, detail } = ACTION_TITLES[action as Action] ?? { title: action, detail: '' };
      return { action, title, detail, lines, more: Math.max(0, (totals[action] ?? 0) - lines.length) };
    })
    .filter(({ lines, more }) => lines.length + more > 0);
}

/** A memory of the plan that was not changed. */
export interface SkippedMemory {
  readonly id: string;
  /** Start of its text when the plan was made. */
  readonly start: string | undefined;
  readonly isGone: boolean;
}

/**
 * The skipped memories, each once, even if several changes were due. `there` has the ids that still exist, if known.
 */
export function skippedMemories(
  { plan }: Pick<Plan, 'plan'>,
  { passed_over: ids = [] }: Pick<Plan, 'passed_over'>,
  there?: ReadonlySet<string>,
): SkippedMemory[] {
  const starts = new Map(plan.map(({ id, start }) => [id, start]));
  return [...new Set(ids)].map((id) => ({ id, start: starts.get(id), isGone: there !== undefined && !there.has(id) }));
}

/** Number of memories that the plan deletes. */
export function deletions(plan: readonly Line[]): number {
  return plan.filter(({ change }) => change === 'delete').length;
}

const DECIMALS = 3;

/** A short description of a change. */
export function changeText({ change, from, to }: Line): string {
  switch (change) {
    case 'delete':
      return 'deleted';
    case 'superseded_by':
      return 'replaced';
    case 'confidence':
      return `confidence ${rounded(from)} → ${rounded(to)}`;
    default:
      return `${change} ${from ?? '–'} → ${to ?? '–'}`;
  }
}

function rounded(text: string | undefined): string {
  const value = Number(text);
  return text === undefined || Number.isNaN(value) ? (text ?? '–') : String(Number(value.toFixed(DECIMALS)));
}
