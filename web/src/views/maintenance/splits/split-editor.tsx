import { Plus, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import { splitEntity } from '../../../mutations/split.ts';
import { Button } from '../../../components/button.tsx';
import { counted } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import type { ToolError } from '../../../source/tools.ts';
import layout from '../layout.module.css';
import {
  approved,
  changed,
  type Draft,
  dropped,
  extended,
  moved,
  type Observation,
  problems,
  rebased,
  STAYS,
} from './draft.ts';
import { PartCard } from './part-card.tsx';
import styles from './split-editor.module.css';

interface Props {
  readonly start: Draft;
  /** All observations of the entity that were fetched, with superseded ones. */
  readonly observations: readonly Observation[];
  readonly isProposed: boolean;
  /** Number of observations that were not fetched. */
  readonly unseen: number;
}

/** The changes of the user, and the proposal that they began with. */
interface Edited {
  readonly draft: Draft;
  readonly start: Draft;
}

/**
 * The editor of a proposed split: move observations, rename, add and remove parts, apply. A draft that the user has
 * changed stays when the entity changes, with the observations that the entity has then.
 */
export function SplitEditor({ start, observations, isProposed, unseen }: Props) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { go, adjust } = useRoute();
  const [edited, setEdited] = useState<Edited>();
  const draft = useMemo(
    () => (edited === undefined ? start : rebased(edited.draft, observations)),
    [edited, start, observations],
  );
  const isProposedAnew = edited !== undefined && JSON.stringify(edited.start) !== JSON.stringify(start);
  const [error, setError] = useState<ToolError>();
  const [isBusy, setBusy] = useState(false);
  const wrong = problems(draft);
  const change = (next: (before: Draft) => Draft): void => {
    setError(undefined);
    setEdited((before) => ({
      draft: next(before === undefined ? start : rebased(before.draft, observations)),
      start: before?.start ?? start,
    }));
  };
  const reset = (): void => {
    setError(undefined);
    setEdited(undefined);
  };
  const apply = async (): Promise<void> => {
    setBusy(true);
    // Keep this entity selected even if it leaves the list.
    adjust({ params: { entity: draft.entity } });
    const failure = await splitEntity(source, draft.entity, approved(draft));
    setError(failure);
    if (failure === undefined) setEdited(undefined);
    setBusy(false);
  };
  const moving = draft.parts.reduce((sum, { facts }) => sum + facts.length, 0);
  const targets = [
    { key: STAYS, title: `Stay in ${draft.entity}` },
    ...draft.parts.map(({ key, name }) => ({ key, title: name.trim() === '' ? 'unnamed part' : name })),
  ];
  const move = (ids: ReadonlySet<number>, to: string): void => change((before) => moved(before, ids, to));
  return (
    <>
      <div className={layout.head}>
        <h2>{draft.entity}</h2>
        <span className={layout.note} role="status">
          {counted(moving, 'observation')} to {counted(draft.parts.length, 'new entity', 'new entities')},{' '}
          {draft.stays.length + unseen} stay
        </span>
        <span className={layout.space} />
        <Button variant="quiet" onPress={() => go({ selection: { kind: 'entity', id: draft.entity } })}>
          Show entity
        </Button>
        {canEdit && (
          <>
            <Button variant="quiet" icon={RotateCcw} isDisabled={edited === undefined} onPress={reset}>
              Reset
            </Button>
            <Button icon={Plus} onPress={() => change(extended)}>
              Add part
            </Button>
            <Button
              variant="primary"
              isDisabled={isBusy || draft.parts.length === 0 || wrong.size > 0}
              onPress={() => void apply()}
            >
              Split
            </Button>
          </>
        )}
      </div>
      <p className={`${layout.note} ${styles.note}`}>
        {noteOf(isProposed, canEdit)}
        Each part becomes an entity that {draft.entity} contains; history is moved as well.
        {unseen > 0 && ` ${counted(unseen, 'more observation')} stay and are not shown.`}
      </p>
      {isProposedAnew && (
        <p className={`${layout.note} ${styles.note}`} role="status">
          The entity has changed meanwhile. Your parts were kept; new observations stay. Reset shows the new proposal.
        </p>
      )}
      {error !== undefined && <Problem problem={error} />}
      <div className={styles.parts}>
        {draft.parts.map((part) => (
          <PartCard
            key={part.key}
            target={part.key}
            facts={part.facts}
            targets={targets}
            onMove={move}
            part={part}
            problem={wrong.get(part.key)}
            onChange={(next) => change((before) => changed(before, part.key, next))}
            onDrop={() => change((before) => dropped(before, part.key))}
          />
        ))}
        <PartCard
          target={STAYS}
          title={`Stays in ${draft.entity}`}
          facts={draft.stays}
          targets={targets}
          onMove={move}
        />
      </div>
    </>
  );
}

function noteOf(isProposed: boolean, canEdit: boolean): string {
  if (!isProposed)
    return `No split is proposed: the entity is not too large, or has one topic. ${canEdit ? 'You can split it anyway. ' : ''}`;
  return canEdit ? 'Drag observations between parts, or use the Move button of each. ' : '';
}
