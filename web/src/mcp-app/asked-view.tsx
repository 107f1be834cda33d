import { Brain, Maximize2 } from 'lucide-react';
import { IconButton } from '../components/button.tsx';
import { Empty } from '../components/empty.tsx';
import { counted } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { useCanEdit, useSource } from '../source/source-context.tsx';
import { useTool } from '../source/use-tool.ts';
import { MemoryResult } from '../views/search/memory-result.tsx';
import { recalledMemories, SIGNALS, scoreExplanations } from '../views/search/recall-model.ts';
import { ScoreLegend } from '../views/search/score-legend.tsx';
import { GraphAround } from './graph-around.tsx';
import type { Host, ShownQuestion } from './host.ts';
import type { HostSource } from './host-source.ts';
import styles from './mcp-app.module.css';
import { MemoryActions } from './memory-actions.tsx';

/** Texts of memories may be long; the page shows them in full. */
const MAX_TOKENS = 400_000;
/** Number of memories if the call does not name one. */
const LIMIT_DEFAULT = 10;

interface Props {
  readonly host: Host;
  readonly question: ShownQuestion;
}

/** The memories that answer a question, with their reasons, and the graph around them. Records no accesses. */
export function AskedView({ host, question }: Props) {
  const source = useSource() as HostSource;
  const canEdit = useCanEdit();
  const { query = '', domain, user_id, limit = LIMIT_DEFAULT } = question;
  const { data, error, isLoading, reload } = useTool('memory_recall', {
    query: query === '' ? undefined : query,
    domain,
    user_id,
    limit,
    max_tokens: MAX_TOKENS,
    explain: true,
    touch: false,
  });
  const memories = data === undefined ? [] : recalledMemories(data);
  const whys = scoreExplanations(memories);
  const hasGraph = source.offers('explore_graph') && memories.length > 0;
  return (
    <div className={styles.view} data-graph={hasGraph || undefined}>
      <section className={styles.list} aria-label="Memories" aria-busy={isLoading}>
        <header className={styles.head}>
          <h1>{query === '' ? 'Memories' : query}</h1>
          {data !== undefined && <span>{counted(memories.length, 'memory', 'memories')}</span>}
          {host.canExpand && <IconButton icon={Maximize2} label="Full screen" onPress={() => void host.expand()} />}
        </header>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        {data?.confident === false && memories.length > 0 && (
          <p className={styles.unsure} role="status">
            No memory answers this question. These are the closest.
          </p>
        )}
        {whys.some((why) => why !== undefined) && (
          <div className={styles.legend}>
            <ScoreLegend signals={SIGNALS} />
          </div>
        )}
        <ol>
          {memories.map((memory, index) => (
            <MemoryResult
              key={memory.id}
              memory={memory}
              position={index + 1}
              question={query}
              why={whys[index]}
              status={undefined}
              isOneDomain={domain !== undefined && domain !== '*'}
              actions={canEdit ? <MemoryActions memory={memory} /> : undefined}
            />
          ))}
        </ol>
        {data !== undefined && memories.length === 0 && (
          <Empty icon={Brain} title="No memory answers this question">
            <p>Ask in other words, or in all domains.</p>
          </Empty>
        )}
      </section>
      {hasGraph && <GraphAround ids={memories.map(({ id }) => id)} />}
    </div>
  );
}
