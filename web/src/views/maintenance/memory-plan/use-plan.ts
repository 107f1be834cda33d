import { useCallback, useEffect, useState } from 'react';
import type { Source } from '../../../source/source.ts';
import { useSource } from '../../../source/source-context.tsx';
import type { ToolError } from '../../../source/tools.ts';
import type { Action } from '../maintenance-url-state.ts';
import { skippedMemories, type SkippedMemory, type Plan } from './plan.ts';

/** Maximum number of lines to review at once; the rest is in the next plan. */
const MAX_LINES = 500;

export interface Done {
  readonly plan: Plan;
  readonly passed: readonly SkippedMemory[];
}

export interface PlanState {
  /** The changes due; `undefined` while loading. */
  readonly plan: Plan | undefined;
  /** The result of applying the previous plan. */
  readonly done: Done | undefined;
  readonly error: ToolError | undefined;
  /** Whether the source does not offer maintenance. */
  readonly isMissing: boolean;
  readonly isBusy: boolean;
  /** Fetches a new plan. */
  readonly refresh: () => void;
  /** Applies the plan. */
  readonly apply: () => Promise<void>;
}

interface StoredPlan {
  readonly key: string;
  readonly plan?: Plan;
  readonly done?: Done;
  readonly error?: ToolError;
  readonly isMissing?: boolean;
}

/**
 * A maintenance plan. It is not refreshed when the data changes, since the user reviews it; the tool skips memories
 * that were changed meanwhile.
 */
export function usePlan(actions: readonly Action[]): PlanState {
  const source = useSource();
  const [asked, setAsked] = useState(0);
  const [isApplying, setApplying] = useState(false);
  const key = `${asked} ${actions.join(' ')}`;
  const [stored, setStored] = useState<StoredPlan>({ key: '' });

  useEffect(() => {
    let isCurrent = true;
    const [, ...names] = key.split(' ');
    void planOf(source, names as Action[]).then((answer) => {
      if (isCurrent) setStored({ key, ...answer });
    });
    return () => {
      isCurrent = false;
    };
  }, [source, key]);

  const refresh = useCallback(() => setAsked((count) => count + 1), []);
  const apply = async (): Promise<void> => {
    const { plan } = stored;
    if (plan?.plan_id === undefined) return;
    setApplying(true);
    const answer = await source.call('memory_maintain', { dry_run: false, plan_id: plan.plan_id });
    const done = answer.ok
      ? { plan: answer.value, passed: skippedMemories(plan, answer.value, await existingIds(source, answer.value)) }
      : undefined;
    setApplying(false);
    setStored(({ key: before }) => (answer.ok ? { key: before, done } : { key: before, error: answer.error }));
  };
  return {
    plan: stored.plan,
    done: stored.done,
    error: stored.error,
    isMissing: stored.isMissing === true,
    isBusy: isApplying || stored.key !== key,
    refresh,
    apply,
  };
}

/** Fetches the plan; a read-only server may not offer the tool. */
async function planOf(source: Source, actions: Action[]): Promise<Omit<StoredPlan, 'key'>> {
  const tools = await source.tools().catch(() => []);
  if (tools.length > 0 && !tools.some(({ name }) => name === 'memory_maintain')) return { isMissing: true };
  const answer = await source.call('memory_maintain', { dry_run: true, actions, limit: MAX_LINES });
  return answer.ok ? { plan: answer.value } : { error: answer.error };
}

/** The ids of the skipped memories that still exist; `undefined` if that is unknown. */
async function existingIds(
  source: Source,
  { passed_over: passed = [] }: Plan,
): Promise<ReadonlySet<string> | undefined> {
  const ids = [...new Set(passed)];
  if (ids.length === 0) return new Set();
  const answer = await source.call('explore_graph', {
    show: 'memories',
    memory_ids: ids,
    depth: 0,
    limit: ids.length,
    include_ended: true,
  });
  return answer.ok ? new Set(answer.value.memories.map(({ id }) => id)) : undefined;
}
