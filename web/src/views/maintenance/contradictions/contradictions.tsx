import { Scale } from 'lucide-react';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';
import { PairCard } from './pair-card.tsx';
import { useContradictions } from './use-contradictions.ts';

/** Pairs of contradicting memories to decide about. */
export function Contradictions() {
  const decided = useContradictions('contradicts');
  const possible = useContradictions('possible_contradiction');
  const isLoading = [decided, possible].some(({ pairs, error }) => pairs === undefined && error === undefined);
  const isEmpty = decided.pairs?.length === 0 && possible.pairs?.length === 0;
  return (
    <div className={upkeep.panel} aria-busy={isLoading}>
      {(shows(decided) || !shows(possible)) && (
        <List list={decided}>
          Of two memories that contradict each other, recall returns the one that was stated last: stored, confirmed by
          storing it again, or given its text.
        </List>
      )}
      {shows(possible) && (
        <List list={possible} title="Possible contradictions">
          These memories are close in meaning but differ. Recall returns both, the newer one first, until you decide.
        </List>
      )}
      {isEmpty && (
        <Empty icon={Scale} title="No contradictions">
          <p>
            Pairs of memories that cannot both be true are listed here: those that an agent or maintenance has linked as
            contradicting, and those that are close in meaning but differ.
          </p>
        </Empty>
      )}
    </div>
  );
}

type Pairs = ReturnType<typeof useContradictions>;

/** Whether a list has pairs or an error to show. */
function shows({ pairs, error }: Pairs): boolean {
  return error !== undefined || (pairs?.length ?? 0) > 0;
}

interface ListProps {
  readonly list: Pairs;
  readonly title?: string;
  /** A description of these pairs. */
  readonly children: string;
}

function List({ list: { pairs, omitted, error, reload }, title, children }: ListProps) {
  return (
    <>
      <div className={upkeep.head}>
        {title !== undefined && <h2 className={upkeep.title}>{title}</h2>}
        <p className={upkeep.note}>
          {children}
          {omitted > 0 && ` ${counted(omitted, 'more link')} when these are done.`}
        </p>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {pairs?.map((pair) => (
        <PairCard key={pair.key} pair={pair} />
      ))}
    </>
  );
}
