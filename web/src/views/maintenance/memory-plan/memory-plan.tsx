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
import { ACTIONS, actionsParam, parseCareWish } from '../maintenance-url-state.ts';
import styles from './memory-plan.module.css';
import { ACTION_TITLES, deletions, groupsOf, type Passed, type Plan } from './plan.ts';
import { PlanList } from './plan-list.tsx';
import { type Done, usePlan } from './use-plan.ts';

/** What is due on memories, to be looked at and then done exactly so. */
export function Maintenance() {
  const canEdit = useCanEdit();
  const { route, adjust } = useRoute();
  const { actions } = parseCareWish(route.params);
  const { plan, done, error, isMissing, isBusy, again, apply } = usePlan(actions);
  const agree = async (): Promise<void> => {
    const gone = deletions(plan?.plan ?? []);
    const text =
      'They go for good, with their links and earlier texts. What was used or changed since the plan was made stays.';
    if (
      gone === 0 ||
      (await confirm({
        title: `Delete ${counted(gone, 'memory', 'memories')}?`,
        text,
        action: 'Do all of the plan',
        isDanger: true,
      }))
    )
      await apply();
  };
  if (isMissing) {
    return (
      <Empty icon={CalendarCheck2} title="No maintenance here">
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
          What is due on the memories of all domains. Pinned ones stay as they are. Nothing happens but what stands
          here.
        </p>
        <CheckboxGroup
          className={styles.actions}
          aria-label="What to plan"
          value={[...actions]}
          // A plan of nothing is none.
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
              look={deletions(plan.plan) > 0 ? 'danger' : 'primary'}
              isDisabled={isBusy}
              onPress={() => void agree()}
            >
              Do exactly this
            </Button>
          )}
          <Button icon={RefreshCw} isDisabled={isBusy} onPress={again}>
            Plan again
          </Button>
          <span className={upkeep.note} role="status">
            {plan !== undefined && !isBusy && totalText(plan)}
            {done !== undefined && `Done: ${counted(done.plan.plan.length, 'change')}.`}
          </span>
        </div>
      </div>
      <div className={styles.body} aria-busy={isBusy}>
        {error !== undefined && <Problem problem={error} onRetry={again} />}
        {plan?.plan.length === 0 && (
          <Empty icon={CalendarCheck2} title="Nothing is due">
            <p>
              {actions.length === ACTIONS.length
                ? 'Memories that expire, fade, contradict each other or move between tiers appear here before anything is done about them.'
                : 'Nothing of the chosen kinds. The others may have something.'}
            </p>
          </Empty>
        )}
        {plan !== undefined && groupsOf(plan).map((group) => <PlanList key={group.action} group={group} />)}
        {done !== undefined && <DoneLists done={done} />}
      </div>
    </div>
  );
}

/** What was done, and what was left as it is. */
function DoneLists({ done: { plan, passed } }: { readonly done: Done }) {
  const left = passed.filter(({ isGone }) => !isGone);
  const gone = passed.filter(({ isGone }) => isGone);
  return (
    <>
      {left.length > 0 && (
        <PassedOver
          label="Passed over"
          title={`${counted(left.length, 'memory was', 'memories were')} passed over`}
          passed={left}
        >
          Used or changed since the plan was made, and left as they are. Plan again to see what is due on them by now.
        </PassedOver>
      )}
      {gone.length > 0 && (
        <PassedOver
          label="Gone before"
          title={`${counted(gone.length, 'memory was', 'memories were')} gone already`}
          passed={gone}
        >
          Deleted by somebody else since the plan was made.
        </PassedOver>
      )}
      {groupsOf(plan).map((group) => (
        <PlanList key={group.action} group={group} isDone />
      ))}
    </>
  );
}

interface PassedProps {
  readonly label: string;
  readonly title: string;
  readonly passed: readonly Passed[];
  /** Why. */
  readonly children: string;
}

function PassedOver({ label, title, passed, children }: PassedProps) {
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
    ? `${counted(due, 'change')} due; the first ${plan.length.toLocaleString('en')} stand here.`
    : `${counted(due, 'change')} due.`;
}
