import { useState } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import { removeLinks } from '../../../mutations/memory-links.ts';
import { replaceMemory } from '../../../mutations/memory-pairs.ts';
import { confirmReplace } from '../../../mutations/memory-dialogs.ts';
import { Button } from '../../../components/button.tsx';
import { ago, counted, fullTime, percent } from '../../../components/format.ts';
import { MemoryChips } from '../../../components/memory-chips.tsx';
import { memoryTitle } from '../../../components/memory-title.ts';
import type { MemoryRow } from '../../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import cards from '../memory-card.module.css';
import styles from './pair-card.module.css';
import { type Pair, diffSegments } from './pairs.ts';

/** Two memories that contradict each other, with the actions that resolve the contradiction. */
export function PairCard({ pair: { type, memories, links, strength } }: { readonly pair: Pair }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const [isBusy, setBusy] = useState(false);
  const [first, second] = memories;
  const run = async (change: () => Promise<boolean>): Promise<void> => {
    setBusy(true);
    await change();
    setBusy(false);
  };
  const isPossible = type === 'possible_contradiction';
  const side = (memory: MemoryRow, other: MemoryRow) => {
    const decide = isPossible
      ? () => replaceMemory(source, memory, other)
      : () => confirmReplace(source, memory, other);
    const age = isPossible ? (memory === first ? 'newer' : 'older') : undefined;
    return <Side memory={memory} other={other} age={age} isBusy={isBusy} onRight={() => void run(decide)} />;
  };
  return (
    <section
      className={cards.frame}
      aria-label={`${isPossible ? 'Possible contradiction' : 'Contradiction'}: ${memoryTitle(first.content, 60)}`}
    >
      <div className={styles.sides}>
        {side(first, second)}
        {side(second, first)}
      </div>
      {canEdit && (
        <div className={styles.foot}>
          <Button isDisabled={isBusy} onPress={() => void run(() => removeLinks(source, links))}>
            Keep both
          </Button>
          <span className={styles.note}>
            {isPossible
              ? `Their similarity is ${percent(strength)}. The pair is not shown again until one of the texts changes.`
              : `Removes the link “contradicts” (strength ${strength.toFixed(2)}).`}
          </span>
        </div>
      )}
    </section>
  );
}

/** Labels of the button that decides for one of the two. */
const RIGHT = {
  newer: 'Keep the newer',
  older: 'Keep the older…',
  either: 'Keep this one…',
} as const;

interface SideProps {
  readonly memory: MemoryRow;
  readonly other: MemoryRow;
  /** Age of the memory relative to the other one, for a possible contradiction. */
  readonly age: 'newer' | 'older' | undefined;
  readonly isBusy: boolean;
  readonly onRight: () => void;
}

function Side({ memory, other, age, isBusy, onRight }: SideProps) {
  const { go } = useRoute();
  const canEdit = useCanEdit();
  const {
    id,
    content,
    confidence,
    effective_confidence: left,
    access_count: uses,
    created_at: stored,
    last_accessed: last,
    domain,
    status,
  } = memory;
  const isHidden = status === 'contradicted';
  return (
    <div className={styles.side}>
      <p className={styles.place}>
        {age !== undefined && `The ${age} · `}
        {isHidden
          ? `Hidden from recall${memory.superseded_by === other.id ? ', replaced by the other' : ''}`
          : 'Shown by recall'}
      </p>
      <p className={cards.text}>
        {diffSegments(content, other.content).map((piece, index) =>
          piece.differs ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
        )}
      </p>
      <MemoryChips memory={{ ...memory, status: undefined }} domain={domain} />
      <dl className={styles.facts}>
        <div>
          <dt>Confidence</dt>
          <dd title={`${confidence.toFixed(2)} when stored, ${left.toFixed(2)} after decay`}>{percent(left)}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd title={fullTime(stored)}>{ago(stored, Date.now())}</dd>
        </div>
        <div>
          <dt>Accesses</dt>
          <dd title={last === undefined ? undefined : fullTime(last)}>
            {uses === 0 ? 'never' : counted(uses, 'time')}
          </dd>
        </div>
      </dl>
      <div className={`${cards.actions} ${styles.actions}`}>
        {canEdit && (
          <Button variant={age === 'older' ? 'plain' : 'primary'} isDisabled={isBusy} onPress={onRight}>
            {RIGHT[age ?? 'either']}
          </Button>
        )}
        <Button variant="quiet" onPress={() => go({ selection: { kind: 'memory', id } })}>
          Open
        </Button>
      </div>
    </div>
  );
}
