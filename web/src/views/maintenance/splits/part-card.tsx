import { Trash2 } from 'lucide-react';
import { Input, TextField } from 'react-aria-components';
import { IconButton } from '../../../components/button.tsx';
import { useCanEdit } from '../../../source/source-context.tsx';
import type { DraftPart, Fact } from './draft.ts';
import { FactList, type MoveTarget } from './fact-list.tsx';
import styles from './part-card.module.css';

interface Props {
  readonly target: string;
  readonly facts: readonly Fact[];
  readonly targets: readonly MoveTarget[];
  readonly onMove: (ids: ReadonlySet<number>, to: string) => void;
  /** Title of the card for the observations that stay with the entity. */
  readonly title?: string;
  /** A part that becomes an entity. */
  readonly part?: DraftPart;
  readonly problem?: string;
  readonly onChange?: (change: { name?: string; entityType?: string }) => void;
  readonly onDrop?: () => void;
}

/** A part of the proposal, or the rest that stays with the entity, with its observations. */
export function PartCard({ target, title, facts, targets, onMove, part, problem, onChange, onDrop }: Props) {
  const canEdit = useCanEdit();
  return (
    <section
      className={styles.card}
      aria-label={title ?? `Part ${part?.name ?? ''}`}
      data-stays={part === undefined || undefined}
    >
      {part === undefined || !canEdit ? (
        <h3 className={styles.title}>
          {title ?? part?.name} <span className={styles.count}>{facts.length}</span>
        </h3>
      ) : (
        <div className={styles.head}>
          <TextField
            className={styles.name}
            aria-label="Part name"
            value={part.name}
            maxLength={500}
            isInvalid={problem !== undefined}
            onChange={(name) => onChange?.({ name })}
          >
            <Input className={styles.input} />
          </TextField>
          <TextField
            className={styles.type}
            aria-label="Part type"
            value={part.entityType}
            maxLength={500}
            onChange={(entityType) => onChange?.({ entityType })}
          >
            <Input className={styles.input} />
          </TextField>
          <IconButton icon={Trash2} label="Remove part; its observations stay in the entity" onPress={onDrop} />
        </div>
      )}
      {problem !== undefined && (
        <p className={styles.problem} role="status">
          {problem}
        </p>
      )}
      <FactList
        label={`Observations: ${title ?? part?.name ?? ''}`}
        facts={facts}
        targets={targets.filter(({ key }) => key !== target)}
        onMove={onMove}
        onTake={(ids) => onMove(ids, target)}
      />
    </section>
  );
}
