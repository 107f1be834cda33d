import { useCallback, useEffect, useState } from 'react';
import type { Source } from '../../../source/source.ts';
import { useSource } from '../../../source/source-context.tsx';
import type { ToolError } from '../../../source/tools.ts';
import type { Action } from '../wish.ts';
import { passedOver, type Passed, type Plan } from './plan.ts';

/** As many lines as a person may look at; the rest comes in the next plan. */
const LINES_MAX = 500;

export interface Done {
  readonly plan: Plan;
  readonly passed: readonly Passed[];
}

export interface PlanState {
  /** What is due; nothing until that is known. */
  readonly plan: Plan | undefined;
  /** What was done last, until there is another plan. */
  readonly done: Done | undefined;
  readonly error: ToolError | undefined;
  readonly isBusy: boolean;
  /** Looks anew at what is due. */
  readonly again: () => void;
  /** Does what the plan says, exactly. */
  readonly apply: () => Promise<void>;
}

interface Kept {
  readonly key: string;
  readonly plan?: Plan;
  readonly done?: Done;
  readonly error?: ToolError;
}

/**
 * A plan of maintenance. It is not made anew when the data changes: a person reviews what stands there, and what was
 * changed meanwhile the tool passes over.
 */
export function usePlan(actions: readonly Action[]): PlanState {
  const source = useSource();
  const [asked, setAsked] = useState(0);
  const [isApplying, setApplying] = useState(false);
  const key = `${asked} ${actions.join(' ')}`;
  const [kept, setKept] = useState<Kept>({ key: '' });

  useEffect(() => {
    let isCurrent = true;
    const [, ...names] = key.split(' ');
    void source.call('memory_maintain', { dry_run: true, actions: names as Action[], limit: LINES_MAX }).then((answer) => {
      if (isCurrent) setKept(answer.ok ? { key, plan: answer.value } : { key, error: answer.error });
    });
    return () => {
      isCurrent = false;
    };
  }, [source, key]);

  const again = useCallback(() => setAsked((count) => count + 1), []);
  const apply = async (): Promise<void> => {
    const { plan } = kept;
    if (plan?.plan_id === undefined) return;
    setApplying(true);
    const answer = await source.call('memory_maintain', { dry_run: false, plan_id: plan.plan_id });
    const done = answer.ok ? { plan: answer.value, passed: passedOver(plan, answer.value, await thereOf(source, answer.value)) } : undefined;
    setApplying(false);
    setKept(({ key: before }) => (answer.ok ? { key: before, done } : { key: before, error: answer.error }));
  };
  return { plan: kept.plan, done: kept.done, error: kept.error, isBusy: isApplying || kept.key !== key, again, apply };
}

/** Which of the memories that were passed over are there still; nothing where that cannot be told. */
async function thereOf(source: Source, { passed_over: passed = [] }: Plan): Promise<ReadonlySet<string> | undefined> {
  const ids = [...new Set(passed)];
  if (ids.length === 0) return new Set();
  const answer = await source.call('explore_graph', { show: 'memories', memory_ids: ids, depth: 0, limit: ids.length, include_ended: true });
  return answer.ok ? new Set(answer.value.memories.map(({ id }) => id)) : undefined;
}
