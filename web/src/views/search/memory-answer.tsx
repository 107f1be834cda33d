import { Bookmark, Search as SearchIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Checkbox } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import checks from '../../components/check.module.css';
import { Empty } from '../../components/empty.tsx';
import { counted, day as dayText } from '../../components/format.ts';
import inputs from '../../components/input.module.css';
import { CATEGORIES } from '../../components/memory-words.ts';
import { Problem } from '../../components/problem.tsx';
import { useDomainNames } from '../../source/use-domain-names.ts';
import { useTool } from '../../source/use-tool.ts';
import type { AnswerProps } from './entity-answer.tsx';
import { ScoreLegend } from './score-legend.tsx';
import styles from './memory-answer.module.css';
import { MemoryResult } from './memory-result.tsx';
import { type RecalledMemory, recalledMemories, SIGNALS, scoreExplanations } from './recall-model.ts';
import view from './search-view.module.css';
import { isFiltered, parseMemorySearchUrl, recallInput } from './search-url-state.ts';
import { WordChoice } from './word-choice.tsx';

const MODES: Readonly<Record<string, string>> = {
  hybrid: 'by meaning, keywords and links',
  lexical: 'keyword search, with links',
  standing: 'ranked without a query',
};

/** Memory search with filters, or the top memories without a question. Records no accesses. */
export function MemoryAnswer({ question, asked }: AnswerProps) {
  const { route, go, adjust } = useRoute();
  const nameOf = useDomainNames(route.domain !== undefined);
  const urlState = parseMemorySearchUrl(route.params);
  const stats = useTool('explore_stats', {});
  const { data, error, isLoading, reload } = useTool('memory_recall', recallInput(question, urlState, route.domain));
  useRepeat(asked, reload);
  const memories = data === undefined ? undefined : recalledMemories(data);
  const statuses = useStatuses(urlState.showsPast || urlState.day !== undefined ? memories : undefined);
  const whys = scoreExplanations(memories ?? []);
  // With a selected domain, say that the counts are of all domains.
  const ofAll = route.domain === undefined ? '' : ', counts of all domains';
  const counts = new Map(stats.data?.categories.map(({ name, count }) => [name, count]));
  return (
    <>
      <div className={view.bar}>
        <WordChoice
          label="Category"
          all={`all categories${ofAll}`}
          words={CATEGORIES.map((name) => ({ name, count: counts.get(name) ?? 0 }))}
          chosen={urlState.category}
          onChoose={(word) => go({ params: { category: word } })}
        />
        <WordChoice
          label="User"
          all={`all users${ofAll}`}
          words={stats.data?.users ?? []}
          chosen={urlState.user}
          onChoose={(word) => go({ params: { user: word } })}
        />
        <label className={styles.day}>
          As of
          <input
            className={inputs.box}
            type="date"
            value={urlState.day ?? ''}
            onChange={({ target }) => adjust({ params: { on: target.value === '' ? undefined : target.value } })}
          />
        </label>
        <Checkbox
          className={styles.check}
          isSelected={urlState.showsPast}
          onChange={(isOn) => go({ params: { past: isOn ? '1' : undefined } })}
        >
          <span className={checks.box} aria-hidden />
          Include ended
        </Checkbox>
        {question !== '' && <ScoreLegend signals={SIGNALS} />}
        <span className={view.mode} data-unknown={data === undefined || undefined}>
          {MODES[data?.mode ?? (question === '' ? 'standing' : 'hybrid')]}
        </span>
      </div>
      {/* It scrolls, so it must be reachable by keyboard. */}
      <div className={view.results} role="region" aria-label="Results" aria-busy={isLoading} tabIndex={0}>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        {data?.confident === false && memories !== undefined && memories.length > 0 && (
          <div className={styles.unsure} role="status">
            <strong>No memory answers this question.</strong> These are the closest.
          </div>
        )}
        {memories !== undefined && memories.length > 0 && (
          <>
            {question === '' && (
              <p className={styles.note}>
                {urlState.day === undefined
                  ? 'Without a question, memories are ranked by confidence, importance and recency.'
                  : `Without a question, memories valid on ${dayText(`${urlState.day} 12:00:00`)} are ranked by confidence, importance and recency.`}{' '}
                Results shown here do not count as accesses.
              </p>
            )}
            <ol>
              {memories.map((memory, index) => (
                <MemoryResult
                  key={memory.id}
                  memory={memory}
                  position={index + 1}
                  question={question}
                  why={whys[index]}
                  status={statuses.get(memory.id)}
                  isOneDomain={route.domain !== undefined}
                />
              ))}
            </ol>
            {data?.memories_omitted !== undefined && (
              <p className={styles.note}>
                {counted(data.memories_omitted, 'more memory', 'more memories')} than fit into one answer.
              </p>
            )}
          </>
        )}
        {memories?.length === 0 && (
          <Nothing
            question={question}
            isFiltered={isFiltered(urlState)}
            domain={route.domain === undefined ? undefined : nameOf(route.domain)}
          />
        )}
      </div>
    </>
  );
}

interface NothingProps {
  readonly question: string;
  readonly isFiltered: boolean;
  readonly domain: string | undefined;
}

function Nothing({ question, isFiltered: isNarrow, domain }: NothingProps) {
  if (question === '' && !isNarrow) {
    return (
      <Empty
        icon={Bookmark}
        title={domain === undefined ? 'No memories yet' : `No memories in the domain “${domain}” yet`}
      >
        <p>Facts, preferences, decisions and conventions that agents store appear here and can be searched.</p>
      </Empty>
    );
  }
  return (
    <Empty icon={SearchIcon} title="No memory answers this question">
      <p>
        {isNarrow || domain !== undefined
          ? 'Try other words, fewer filters or all domains.'
          : 'Try other words, or fewer.'}
      </p>
    </Empty>
  );
}

/** Repeats the search when the user submits the same query again. */
function useRepeat(asked: number, reload: () => void): void {
  const seen = useRef(asked);
  useEffect(() => {
    if (seen.current !== asked) reload();
    seen.current = asked;
  }, [asked, reload]);
}

/** The statuses of memories; recall does not return them. */
function useStatuses(memories: readonly RecalledMemory[] | undefined): ReadonlyMap<string, string> {
  const ids = memories?.map(({ id }) => id) ?? [];
  const { data } = useTool(
    'explore_graph',
    ids.length === 0
      ? undefined
      : { show: 'memories', memory_ids: ids, depth: 0, limit: ids.length, include_ended: true },
  );
  return new Map(data?.memories.map(({ id, status }) => [id, status]));
}
