import type { Selection } from '../../app/route.ts';
import { useRoute } from '../../app/use-route.ts';
import { EmptyMemory } from '../../files/empty-memory.tsx';
import { Button } from '../../components/button.tsx';
import { counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { RecordSearch } from '../../components/record-search.tsx';
import { useDomainNames } from '../../source/use-domain-names.ts';
import { useTool } from '../../source/use-tool.ts';
import styles from './start.module.css';
import { MOST_SOME, type Shown } from './graph-url-state.ts';

interface Props {
  readonly onChoose: (record: Selection) => void;
  readonly onDrawMost: (count: number, shows: Shown) => void;
}

const MOST_MAX = 20_000;

/** Nothing is drawn before it is asked for: a whole memory at once tells nothing. */
export function Start({ onChoose, onDrawMost }: Props) {
  const { domain } = useRoute().route;
  const nameOf = useDomainNames(domain !== undefined);
  const { data, error, reload } = useTool('explore_graph', { limit: 1, show: 'all', domain });
  const { entities = 0, relations = 0, memories = 0, links = 0 } = data?.totals ?? {};
  const hasMemories = memories > 0;
  if (data !== undefined && entities + memories === 0 && domain === undefined) return <EmptyMemory />;
  const totals = [
    counted(entities, 'entity', 'entities'),
    counted(relations, 'relation'),
    ...(hasMemories ? [counted(memories, 'memory', 'memories'), counted(links, 'link')] : []),
  ];
  return (
    <div className={styles.start}>
      <div className={styles.box}>
        <h1>Where do you want to begin?</h1>
        <p className={styles.totals}>
          {data === undefined
            ? ' '
            : `${totals.join(', ')} ${domain === undefined ? 'in this memory' : `with the memories of “${nameOf(domain)}”`}`}
        </p>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        <div className={styles.search}>
          <RecordSearch
            label="Begin with an entity or a memory"
            placeholder="Find by name, type or text"
            finds="both"
            onChoose={onChoose}
            autoFocus
          />
        </div>
        <div className={styles.most}>
          {entities > MOST_SOME && (
            <Button onPress={() => onDrawMost(MOST_SOME, 'entities')}>Draw the {MOST_SOME} most used</Button>
          )}
          {entities > 0 && (
            <Button look="quiet" onPress={() => onDrawMost(Math.min(entities, MOST_MAX), 'entities')}>
              {drawText(entities, hasMemories ? 'entities' : '')}
            </Button>
          )}
          {hasMemories && (
            <Button look="quiet" onPress={() => onDrawMost(Math.min(memories, MOST_MAX), 'memories')}>
              {drawText(memories, 'memories')}
            </Button>
          )}
          {hasMemories && entities > 0 && (
            <Button look="quiet" onPress={() => onDrawMost(Math.min(entities + memories, MOST_MAX), 'all')}>
              Draw both
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function drawText(count: number, what: string): string {
  return `Draw ${count > MOST_MAX ? `the ${MOST_MAX.toLocaleString('en')} most used` : `all ${count.toLocaleString('en')}`} ${what}`.trimEnd();
}
