import { useVirtualizer } from '@tanstack/react-virtual';
import { Lightbulb } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { Choice } from '../../components/choice.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { bytesText, counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { useTool } from '../../source/use-tool.ts';
import type { Output } from '../../source/tools.ts';
import { type CodePiece, plainLines, sourceText } from './code-pieces.ts';
import { type SymbolLocation, symbolChange, SYMBOL, qualifiedName } from './code-url-state.ts';
import { languageTitle } from './languages.ts';
import { LineReferences } from './line-references.tsx';
import styles from './source-view.module.css';
import { useReloadOn } from './use-reload-on.ts';

interface Props {
  readonly project: string;
  readonly path: string;
  readonly line: number | undefined;
  /** Changes when the index has changed. */
  readonly version: string;
}

type Source = Output<'explore_source'>;

const ROW_HEIGHT = 20;
/** Lines above the selected one when a place is opened. */
const LINES_ABOVE = 4;

/** A file with line numbers. Arrow keys select a line, Enter shows the symbol that is defined in it. */
export function SourceView({ project, path, line, version }: Props) {
  const { data, error, isLoading, reload } = useTool('explore_source', { project_id: project, file_path: path });
  useReloadOn(version, reload);
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  if (data === undefined || data.project_id !== project || data.file_path !== path)
    return <div className={styles.loading} aria-busy={isLoading} />;
  return <SourceLines source={data} line={line} />;
}

function SourceLines({ source, line }: { readonly source: Source; readonly line: number | undefined }) {
  const { project_id: project, file_path: path, definitions, memories } = source;
  const { route, go, adjust, hrefOf } = useRoute();
  const text = useMemo(() => sourceText(source.text), [source.text]);
  const lines = useHighlighted(text, source.language);
  const scroll = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const defined = useMemo(() => new Map(definitions.map((definition) => [definition.line, definition])), [definitions]);
  const noted = useMemo(() => memoriesByLine(definitions, memories), [definitions, memories]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const selected = line === undefined ? undefined : Math.min(line, lines.length);
  const shown = useRef<number>(undefined);
  useEffect(() => {
    // A line that was selected in the list is visible.
    if (selected === undefined || shown.current === selected) return;
    shown.current = selected;
    virtual.scrollToOffset(Math.max(0, selected - 1 - LINES_ABOVE) * ROW_HEIGHT);
  }, [path, selected, virtual]);
  const select = (number: number): void => {
    shown.current = number;
    adjust({ params: { line: String(number) } });
  };
  const open = (symbol: SymbolLocation): void => {
    shown.current = symbol.start_line;
    go(symbolChange(symbol));
  };
  const press = (number: number): void => {
    const definition = defined.get(number);
    if (definition === undefined) select(number);
    else go({ params: { line: String(number) }, selection: { kind: SYMBOL, id: definition.symbol_id } });
    shown.current = number;
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = selected ?? Math.floor((virtual.scrollOffset ?? 0) / ROW_HEIGHT);
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 1,
      End: lines.length,
    };
    const to = moves[event.key];
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (to === undefined) {
      if (selected !== undefined) press(selected);
      return;
    }
    const next = Math.max(1, Math.min(lines.length, to));
    select(next);
    virtual.scrollToIndex(next - 1);
  };
  const chosen = route.selection?.kind === SYMBOL ? route.selection.id : undefined;
  const range = definitions.find(({ symbol_id }) => symbol_id === chosen);
  const parts = path.split('/');
  return (
    <div className={styles.source}>
      <div className={styles.head}>
        <h2 className={styles.path}>
          <a href={hrefOf({ params: { path: undefined, line: undefined } })}>{project}</a>
          {parts.map((part, index) => (
            <span key={index}>
              <span className={styles.slash}>/</span>
              {part}
            </span>
          ))}
        </h2>
        <CopyButton label="Copy path" text={() => path} />
        <span className={styles.facts}>
          {languageTitle(source.language)}, {counted(lines.length, 'line')}, {bytesText(source.bytes)}
        </span>
        {definitions.length > 0 && (
          <Choice
            label="Symbol"
            any={counted(definitions.length, 'symbol')}
            options={definitions.map(({ symbol_id }) => ({ id: symbol_id, title: qualifiedName(symbol_id, path) }))}
            chosen={range?.symbol_id}
            onChoose={(id) => {
              const definition = definitions.find(({ symbol_id }) => symbol_id === id);
              if (definition === undefined) go({ selection: null });
              else open({ ...definition, file_path: path, start_line: definition.line });
            }}
          />
        )}
      </div>
      {source.redacted_lines > 0 && (
        <p className={styles.note}>{counted(source.redacted_lines, 'line')} with secrets replaced.</p>
      )}
      {selected !== undefined && <LineReferences project={project} path={path} line={selected} />}
      <div
        ref={scroll}
        className={styles.lines}
        role="listbox"
        tabIndex={0}
        aria-label={`Source of ${path}`}
        aria-activedescendant={selected === undefined ? undefined : `${prefix}${selected}`}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className={styles.space} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const number = index + 1;
            const definition = defined.get(number);
            return (
              <div
                key={index}
                id={`${prefix}${number}`}
                className={styles.line}
                role="option"
                aria-selected={number === selected}
                data-in-symbol={
                  (range !== undefined && number >= range.start_line && number <= range.end_line) || undefined
                }
                title={definition === undefined ? undefined : `Show the ${definition.symbol_type} ${definition.name}`}
                data-defines={definition !== undefined || undefined}
                style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
                onClick={() => press(number)}
              >
                <span className={styles.number}>{number}</span>
                <code>
                  {(lines[index] ?? []).map((piece, at) => (
                    <span key={at} data-what={piece.what}>
                      {piece.text}
                    </span>
                  ))}
                </code>
                {noted.has(number) && (
                  <span className={styles.memory}>
                    <Lightbulb aria-hidden />
                    {noted.get(number)}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The memories of definitions as one text for each line. */
function memoriesByLine(definitions: Source['definitions'], memories: Source['memories']): ReadonlyMap<number, string> {
  const lines = new Map<number, string>();
  for (const { symbol_id: then, now, state, text } of memories) {
    const line = definitions.find(({ symbol_id }) => symbol_id === (now ?? then))?.line;
    if (line === undefined) continue;
    const note = state === undefined || state === 'holds' ? text : `${text} (${state})`;
    lines.set(line, [lines.get(line), note].filter(Boolean).join(' · '));
  }
  return lines;
}

/** The lines of a text, in colours as soon as the grammars are loaded. */
function useHighlighted(text: string, language: string): readonly (readonly CodePiece[])[] {
  const plain = useMemo(() => plainLines(text), [text]);
  const [colored, setColored] = useState<{ readonly text: string; readonly lines: typeof plain }>();
  useEffect(() => {
    let isCurrent = true;
    import('./highlight-source.ts').then(
      ({ highlightSource }) => {
        if (isCurrent) setColored({ text, lines: highlightSource(text, language) });
      },
      () => {
        // Where the grammars cannot be loaded, the text stays plain.
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [text, language]);
  return colored?.text === text ? colored.lines : plain;
}
