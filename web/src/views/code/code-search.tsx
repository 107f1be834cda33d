import { Search } from 'lucide-react';
import { useMemo } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { Empty } from '../../components/empty.tsx';
import { counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import results from '../../components/result-title.module.css';
import styles from './code-search.module.css';
import { type CodeSearchTarget, placeParams, SYMBOL, symbolChange } from './code-url-state.ts';
import { languageTitle } from './languages.ts';
import { SymbolLine } from './symbol-line.tsx';
import { useReloadOn } from './use-reload-on.ts';

interface Props {
  readonly project: string;
  readonly question: string;
  readonly target: CodeSearchTarget;
  readonly version: string;
}

const MAX_RESULTS = 30;
const MAX_NAMES = 200;
const MAX_TOKENS = 200_000;
/** Lines of a result that are shown. */
const MAX_LINES = 8;

/** The answer to a search. */
export function CodeSearch(props: Props) {
  return props.target === 'names' ? <NameResults {...props} /> : <TextResults {...props} />;
}

function TextResults({ project, question, version }: Props) {
  const { data, error, isLoading, reload } = useTool('search_code', {
    query: question,
    project_id: project,
    limit: MAX_RESULTS,
    max_tokens: MAX_TOKENS,
  });
  useReloadOn(version, reload);
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  if (data === undefined || data.query !== question) return <div aria-busy={isLoading} />;
  if (data.results.length === 0) return <Nothing question={question} />;
  return (
    <div className={styles.results} aria-busy={isLoading}>
      <p className={styles.count} role="status">
        {counted(data.count, 'result')}
        <Pending files={data.pending_files} />
      </p>
      <ol>
        {data.results.map((result) => (
          <TextResult key={result.id} project={project} result={result} />
        ))}
      </ol>
    </div>
  );
}

type Result = Output<'search_code'>['results'][number];

function TextResult({ project, result }: { readonly project: string; readonly result: Result }) {
  const { hrefOf } = useRoute();
  const { symbol_id: symbol, file_path: path, start_line: start, end_line: end } = result;
  const href = hrefOf({
    params: placeParams(project, path, start),
    ...(symbol === undefined ? {} : { selection: { kind: SYMBOL, id: symbol } }),
  });
  const lines = useMemo(() => result.content.split(/\r?\n/), [result.content]);
  return (
    <li className={styles.result}>
      <div className={results.title}>
        <a href={href}>{result.name ?? path}</a>
        <span className={styles.kind}>{result.chunk_type === 'other' ? '' : result.chunk_type}</span>
        <span className={styles.place}>
          {path}:{start}
          {end > start ? `–${end}` : ''}
        </span>
        <span className={styles.kind}>{languageTitle(result.language)}</span>
      </div>
      <pre className={styles.text}>
        {lines.slice(0, MAX_LINES).join('\n')}
        {lines.length > MAX_LINES && (
          <span className={styles.more}>{`\n… ${counted(lines.length - MAX_LINES, 'more line')}`}</span>
        )}
      </pre>
    </li>
  );
}

function NameResults({ project, question, version }: Props) {
  const { hrefOf } = useRoute();
  const { data, error, isLoading, reload } = useTool('search_symbols', {
    query: question,
    project_id: project,
    limit: MAX_NAMES,
  });
  useReloadOn(version, reload);
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  if (data === undefined) return <div aria-busy={isLoading} />;
  if (data.results.length === 0) return <Nothing question={question} />;
  return (
    <div className={styles.results} aria-busy={isLoading}>
      <p className={styles.count} role="status">
        {data.total > data.results.length
          ? `The first ${data.results.length} of ${counted(data.total, 'symbol')}`
          : counted(data.total, 'symbol')}
        <Pending files={data.pending_files} />
      </p>
      <ul>
        {data.results.map((symbol) => (
          <li key={symbol.symbol_id}>
            <SymbolLine
              href={hrefOf(symbolChange(symbol))}
              type={symbol.symbol_type}
              name={symbol.name}
              detail={symbol.signature}
              place={`${symbol.file_path}:${symbol.start_line}`}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Pending({ files }: { readonly files: number }) {
  return files === 0 ? null : <span>; {counted(files, 'file')} not searched yet</span>;
}

function Nothing({ question }: { readonly question: string }) {
  return (
    <Empty icon={Search} title="Nothing found">
      <p>No code matches “{question}”.</p>
    </Empty>
  );
}
