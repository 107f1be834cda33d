import { useRoute } from '../../app/use-route.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import { useTool } from '../../source/use-tool.ts';
import { symbolChange } from './code-url-state.ts';
import styles from './source-view.module.css';
import { SymbolIcon } from './symbol-icon.tsx';
import { useReloadWithCode } from './use-reload-on.ts';

const KEY_MILLIS = 120;

interface Props {
  readonly project: string;
  readonly path: string;
  readonly line: number;
}

/** The definitions that the selected line refers to. */
export function LineReferences({ project, path, line }: Props) {
  const { hrefOf } = useRoute();
  // Holding down a key selects many lines.
  const settled = useDebounced(line, KEY_MILLIS);
  const { data, isLoading, reload } = useTool('symbol_graph', {
    project_id: project,
    file_path: path,
    line: settled,
    action: 'definition',
  });
  useReloadWithCode(reload);
  const isKnown = data !== undefined && !isLoading && settled === line;
  const likely = new Set(data?.edges.filter(({ tier }) => tier !== 'resolved').map(({ to }) => to));
  const found = data?.nodes.filter(({ symbol_id }) => data.edges.some(({ to }) => to === symbol_id)) ?? [];
  return (
    <p className={styles.references} role="status">
      <span className={styles.lineNumber}>Line {line}</span>
      {!isKnown ? null : found.length === 0 ? (
        <span>refers to no indexed symbol</span>
      ) : (
        <>
          <span>refers to</span>
          {found.map((symbol) => (
            <a
              key={symbol.symbol_id}
              href={hrefOf(symbolChange(symbol))}
              data-likely={likely.has(symbol.symbol_id) || undefined}
              title={`${symbol.file_path}:${symbol.start_line}${likely.has(symbol.symbol_id) ? ' (likely)' : ''}`}
            >
              <SymbolIcon type={symbol.symbol_type} />
              {symbol.name}
            </a>
          ))}
        </>
      )}
    </p>
  );
}
