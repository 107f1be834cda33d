import type { Output } from '../../../source/tools.ts';
import { type Action, ACTIONS } from '../maintenance-url-state.ts';

export type Plan = Output<'memory_maintain'>;
export type Line = Plan['plan'][number];

interface ActionTitle {
  readonly title: string;
  /** What it does, and to what. */
  readonly detail: string;
}

export const ACTION_TITLES: Readonly<Record<Action, ActionTitle>> = {
  expire: { title: 'Expired', detail: 'Past their expiry date: deleted.' },
  prune: { title: 'Decayed', detail: 'Confidence below the threshold, or replaced long ago: deleted.' },
  contradictions: {
    title: 'Contradictions',
    detail: 'The memory that recall hides is marked as replaced by the other.',
  },
  tiers: { title: 'Tiers and heat', detail: 'Moved up by use, down without it.' },
  decay: { title: 'Decay', detail: 'The decayed confidence is stored.' },
};

/** The lines of an action, in the order of the plan. */
export interface PlanGroup extends ActionTitle {
  readonly action: string;
  readonly lines: readonly Line[];
  /** How many more are due and found no room. */
  readonly more: number;
}

/** The plan by action, what deletes first. An action that this page does not know stands at the end under its own name. */
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

/** A memory that a plan was to change, and did not. */
export interface SkippedMemory {
  readonly id: string;
  /** How its text began when the plan was made. */
  readonly start: string | undefined;
  readonly isGone: boolean;
}

/** What was passed over, each memory once, however many changes were due on it. `there` are those that are left, if that is known. */
export function skippedMemories(
  { plan }: Pick<Plan, 'plan'>,
  { passed_over: ids = [] }: Pick<Plan, 'passed_over'>,
  there?: ReadonlySet<string>,
): SkippedMemory[] {
  const starts = new Map(plan.map(({ id, start }) => [id, start]));
  return [...new Set(ids)].map((id) => ({ id, start: starts.get(id), isGone: there !== undefined && !there.has(id) }));
}

/** How many memories would be gone. */
export function deletions(plan: readonly Line[]): number {
  return plan.filter(({ change }) => change === 'delete').length;
}

const DECIMALS = 3;

/** What becomes of a memory, in a few words. */
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
