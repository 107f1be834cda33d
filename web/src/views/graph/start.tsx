import { EmptyMemory } from '../../files/empty-memory.tsx';
import { EntitySearch } from '../../parts/entity-search.tsx';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { useTool } from '../../source/use-tool.ts';
import styles from './start.module.css';

interface Props {
  readonly onChoose: (name: string) => void;
  readonly onDrawMost: (count: number) => void;
}

const SOME = 200;
const MOST_MAX = 20_000;

/** Nothing is drawn before it is asked for: a whole memory at once tells nothing. */
export function Start({ onChoose, onDrawMost }: Props) {
  const { data, error, reload } = useTool('explore_graph', { limit: 1 });
  const total = data?.totals.entities;
  if (total === 0) return <EmptyMemory />;
  return (
    <div className={styles.start}>
      <div className={styles.box}>
        <h1>Where do you want to begin?</h1>
        <p className={styles.totals}>
          {data === undefined
            ? ' '
            : `${counted(data.totals.entities, 'entity', 'entities')}, ${counted(data.totals.relations, 'relation')} in this memory`}
        </p>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        <div className={styles.search}>
          <EntitySearch label="Begin with an entity" placeholder="Find an entity by name or type" onChoose={onChoose} autoFocus />
        </div>
        {total !== undefined && total > 0 && (
          <div className={styles.most}>
            {total > SOME && <Button onPress={() => onDrawMost(SOME)}>Draw the {SOME} most used</Button>}
            <Button look="quiet" onPress={() => onDrawMost(Math.min(total, MOST_MAX))}>
              Draw {total > MOST_MAX ? `the ${MOST_MAX.toLocaleString('en')} most used` : `all ${total.toLocaleString('en')}`}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
