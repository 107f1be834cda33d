import { CalendarCheck2, RefreshCw } from 'lucide-react';
import { Checkbox, CheckboxGroup } from 'react-aria-components';
import { useRoute } from '../../../app/use-route.ts';
import { Button } from '../../../components/button.tsx';
import checks from '../../../components/check.module.css';
import { confirm } from '../../../components/confirm.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { memoryTitle } from '../../../components/memory-title.ts';
import { Problem } from '../../../components/problem.tsx';
import { useCanEdit } from '../../../source/source-context.tsx';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';
import { ACTIONS, actionsParam, parseMaintenanceUrl } from '../maintenance-url-state.ts';
import styles from './memory-plan.module.css';
import { ACTION_TITLES, deletions, groupsOf, type SkippedMemory, type Plan } from './plan.ts';
import { PlanList } from './plan-list.tsx';
import { type Done, usePlan } from './use-plan.ts';

/** The memory plan: changes that are due on memories, to review and apply. */
export function MemoryPlan() {
  const canEdit = useCanEdit();
  const { route, adjust } = useRoute();
  const { actions } = parseMaintenanceUrl(route.params);
  const { plan, done, error, isMissing, isBusy, refresh, apply } = usePlan(actions);
  const agree = async (): Promise<void> => {
    const gone = deletions(plan?.plan ?? []);
    const text =
      'They are deleted permanently, with their links and earlier versions. Memories that were used or changed since the plan was made are skipped.';
    if (
      gone === 0 ||
      (await confirm({
        title: `Delete ${counted(gone, 'memory', 'memories')}?`,
        text,
        action: 'Apply plan',
        isDanger: true,
      }))
    )
      await apply();
  };
  if (isMissing) {
    return (
      <Empty icon={CalendarCheck2} title="Maintenance is not available">
        <p>
          This server does not offer the tool <code>memory_maintain</code>: it was started read-only, or without the
          toolset memory.
        </p>
      </Empty>
    );
  }
  return (
    <div className={upkeep.panel}>
      <div className={styles.head}>
        <p className={upkeep.note}>
          Changes that are due on the memories of all domains. Pinned memories are exempt. Applying the plan makes
          exactly the changes that are listed here.
        </p>
        <CheckboxGroup
          className={styles.actions}
          aria-label="Tasks to plan"
          value={[...actions]}
          // At least one action must be selected.
          onChange={(chosen) => chosen.length > 0 && adjust({ params: { actions: actionsParam(chosen) } })}
        >
          {ACTIONS.map((action) => (
            <Checkbox key={action} value={action} className={styles.action}>
              <span className={checks.box} aria-hidden />
              {ACTION_TITLES[action].title}
            </Checkbox>
          ))}
        </CheckboxGroup>
        <div className={styles.buttons}>
          {canEdit && plan !== undefined && plan.plan.length > 0 && (
            <Button
              variant={deletions(plan.plan) > 0 ? 'danger' : 'primary'}
              isDisabled={isBusy}
              onPress={() => void agree()}
            >
              Apply plan
            </Button>
          )}
          <Button icon={RefreshCw} isDisabled={isBusy} onPress={refresh}>
            Refresh plan
          </Button>
          <span className={upkeep.note} role="status">
            {plan !== undefined && !isBusy && totalText(plan)}
            {done !== undefined && `Done: ${counted(done.plan.plan.length, 'change')}.`}
          </span>
        </div>
      </div>
      <div className={styles.body} aria-busy={isBusy}>
        {error !== undefined && <Problem problem={error} onRetry={refresh} />}
        {plan?.plan.length === 0 && (
          <Empty icon={CalendarCheck2} title="No changes due">
            <p>
              {actions.length === ACTIONS.length
                ? 'Memories that expire, decay, contradict each other or move between tiers are listed here before any change is made.'
                : 'None of the selected tasks has anything to do. Others may.'}
            </p>
          </Empty>
        )}
        {plan !== undefined && groupsOf(plan).map((group) => <PlanList key={group.action} group={group} />)}
        {done !== undefined && <DoneLists done={done} />}
      </div>
    </div>
  );
}

/** The changes made, and the memories that were skipped. */
function DoneLists({ done: { plan, passed } }: { readonly done: Done }) {
  const left = passed.filter(({ isGone }) => !isGone);
  const gone = passed.filter(({ isGone }) => isGone);
  return (
    <>
      {left.length > 0 && (
        <SkippedList
          label="Skipped"
          title={`${counted(left.length, 'memory was', 'memories were')} skipped`}
          passed={left}
        >
          Used or changed since the plan was made. Refresh the plan to see what is due on them.
        </SkippedList>
      )}
      {gone.length > 0 && (
        <SkippedList
          label="Already deleted"
          title={`${counted(gone.length, 'memory was', 'memories were')} already deleted`}
          passed={gone}
        >
          Deleted elsewhere since the plan was made.
        </SkippedList>
      )}
      {groupsOf(plan).map((group) => (
        <PlanList key={group.action} group={group} isDone />
      ))}
    </>
  );
}

interface SkippedProps {
  readonly label: string;
  readonly title: string;
  readonly passed: readonly SkippedMemory[];
  /** The reason. */
  readonly children: string;
}

function SkippedList({ label, title, passed, children }: SkippedProps) {
  const { hrefOf } = useRoute();
  return (
    <section className={styles.passed} aria-label={label}>
      <h2>{title}</h2>
      <p className={upkeep.note}>{children}</p>
      <ul>
        {passed.map(({ id, start, isGone }) => {
          const text = start === undefined ? id : memoryTitle(start);
          return <li key={id}>{isGone ? text : <a href={hrefOf({ selection: { kind: 'memory', id } })}>{text}</a>}</li>;
        })}
      </ul>
    </section>
  );
}

function totalText({ plan, totals = {} }: Plan): string {
  const due = Object.values(totals).reduce((sum, count) => sum + count, 0);
  if (due === 0) return '';
  return due > plan.length
    ? `${counted(due, 'change')} due; the first ${plan.length.toLocaleString('en')} are listed.`
    : `${counted(due, 'change')} due.`;
}
