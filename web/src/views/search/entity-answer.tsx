import { Search as SearchIcon } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Segments } from '../../components/segments.tsx';
import { useMedia } from '../../components/use-media.ts';
import { useSource } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import { ScoreLegend } from './score-legend.tsx';
import { type Order, resultsOf } from './result-model.ts';
import { Results } from './results.tsx';
import { SampleQuestions } from './sample-questions.tsx';
import styles from './search-view.module.css';
import { useSearch } from './use-search.ts';
import { WordChoice } from './word-choice.tsx';

export interface AnswerProps {
  readonly question: string;
  /** Number of times that the same query was repeated. */
  readonly asked: number;
}

const MAX_RESULTS = 20;
/** Enough for all results, since a page has no context window. */
const MAX_TOKENS = 100_000;
const ORDERS: readonly { readonly id: Order; readonly title: string }[] = [
  { id: 'limbic', title: 'With usage and age' },
  { id: 'baseline', title: 'Relevance only' },
];
/** Both orders fit beside each other. */
const WIDE = '(min-width: 1360px)';
const SIGNALS = [
  ['late', 'late interaction'],
  ['vector', 'vector'],
  ['lexical', 'words'],
] as const;

/** The entities found by a query, with filters. */
export function EntityAnswer({ question, asked }: AnswerProps) {
  const { route, go, adjust } = useRoute();
  const { status, type } = route.params;
  const order: Order = route.params['order'] === 'baseline' ? 'baseline' : 'limbic';
  const isPlain = useSource().kind === 'file';
  const isWide = useMedia(WIDE) && route.selection === undefined;
  const stats = useTool('explore_stats', {});
  const { data, error, isLoading, reload } = useSearch(
    question === ''
      ? undefined
      : { query: question, limit: MAX_RESULTS, max_tokens: MAX_TOKENS, explain: true, status, entity_type: type },
    asked,
  );
  return (
    <>
      <div className={styles.bar}>
        <WordChoice
          label="Type"
          all="all types"
          words={stats.data?.entity_types ?? []}
          chosen={type}
          onChoose={(word) => go({ params: { type: word } })}
        />
        <WordChoice
          label="Status"
          all="all statuses"
          words={stats.data?.statuses ?? []}
          chosen={status}
          onChoose={(word) => go({ params: { status: word } })}
        />
        {question !== '' && (
          <>
            {!isWide && (
              <Segments
                label="Order"
                choices={ORDERS}
                chosen={order}
                onChoose={(id) => adjust({ params: { order: id === 'limbic' ? undefined : id } })}
              />
            )}
            <ScoreLegend signals={SIGNALS} />
            <span className={styles.mode} data-unknown={data === undefined || undefined}>
              {data?.mode === 'hybrid' ? 'by meaning and keywords' : 'keyword search'}
            </span>
          </>
        )}
      </div>
      {/* It scrolls, so it must be reachable by keyboard. */}
      <div className={styles.results} role="region" aria-label="Results" aria-busy={isLoading} tabIndex={0}>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        {question === '' && (
          <Empty icon={SearchIcon} title="Ask the memory">
            {isPlain ? (
              <p>This page has keyword search: it finds entities whose name, type or observations contain them.</p>
            ) : (
              <>
                <p>Ask as an agent would. Each result shows why it was ranked there: meaning, words, usage and age.</p>
                <p>A search here counts as access, as it does for agents.</p>
                <SampleQuestions />
              </>
            )}
          </Empty>
        )}
        {question !== '' && data?.results.length === 0 && (
          <Empty icon={SearchIcon} title="No results">
            <p>
              {status === undefined && type === undefined
                ? 'Try other words, or fewer.'
                : 'Try other words, or all types and statuses.'}
            </p>
          </Empty>
        )}
        {question !== '' && data !== undefined && data.results.length > 0 && (
          <div className={isWide ? styles.columns : undefined}>
            {isWide ? (
              ORDERS.map(({ id, title }) => (
                <section key={id} aria-labelledby={`order-${id}`}>
                  <h2 id={`order-${id}`}>{title}</h2>
                  <Results results={resultsOf(data)} order={id} question={question} isBrief={id === 'baseline'} />
                </section>
              ))
            ) : (
              <Results results={resultsOf(data)} order={order} question={question} />
            )}
          </div>
        )}
      </div>
    </>
  );
}
