import { Scale } from 'lucide-react';
import { Empty } from '../../../parts/empty.tsx';
import { counted } from '../../../parts/format.ts';
import { Problem } from '../../../parts/problem.tsx';
import upkeep from '../upkeep/upkeep.module.css';
import { PairCard } from './pair-card.tsx';
import { useContradictions } from './use-contradictions.ts';

/** Memories that contradict each other, side by side: a person decides which one holds. */
export function Contradictions() {
  const { pairs, omitted, error, reload } = useContradictions();
  return (
    <div className={upkeep.panel} aria-busy={pairs === undefined && error === undefined}>
      <div className={upkeep.head}>
        <p className={upkeep.note}>
          Of two memories that contradict each other, recall shows the one that is newer by more than a day, else the one that is trusted more.
          {omitted > 0 && ` ${counted(omitted, 'more link')} when these are done.`}
        </p>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {pairs?.map((pair) => <PairCard key={pair.key} pair={pair} />)}
      {pairs?.length === 0 && (
        <Empty icon={Scale} title="Nothing contradicts another">
          <p>Two memories that cannot both hold appear here side by side, when an agent or the upkeep has linked them as contradicting.</p>
        </Empty>
      )}
    </div>
  );
}
