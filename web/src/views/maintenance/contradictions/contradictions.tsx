import { Scale } from 'lucide-react';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';
import { PairCard } from './pair-card.tsx';
import { useContradictions } from './use-contradictions.ts';

/** Memories that contradict each other, side by side: a person decides which one holds. */
export function Contradictions() {
  const decided = useContradictions('contradicts');
  const possible = useContradictions('possible_contradiction');
  const isLoading = [decided, possible].some(({ pairs, error }) => pairs === undefined && error === undefined);
  const isEmpty = decided.pairs?.length === 0 && possible.pairs?.length === 0;
  return (
    <div className={upkeep.panel} aria-busy={isLoading}>
      {(shows(decided) || !shows(possible)) && (
        <List list={decided}>
          Of two memories that contradict each other, recall shows the one that is newer by more than a day, else the
          one that is trusted more.
        </List>
      )}
      {shows(possible) && (
        <List list={possible} title="Possible contradictions">
          These are close in meaning and do not say the same. Recall shows both, the newer first, until you decide.
        </List>
      )}
      {isEmpty && (
        <Empty icon={Scale} title="Nothing contradicts another">
          <p>
            Two memories that cannot both hold appear here side by side: those that an agent or the upkeep has linked as
            contradicting, and those that are close in meaning and do not say the same.
          </p>
        </Empty>
      )}
    </div>
  );
}

type Pairs = ReturnType<typeof useContradictions>;

/** Whether there is anything to show of a list. */
function shows({ pairs, error }: Pairs): boolean {
  return error !== undefined || (pairs?.length ?? 0) > 0;
}

interface ListProps {
  readonly list: Pairs;
  readonly title?: string;
  /** What these pairs are. */
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
