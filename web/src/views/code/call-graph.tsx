import { Suspense, useMemo } from 'react';
import type { Selection } from '../../app/route.ts';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { shownTheme } from '../../app/theme.ts';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { Segments } from '../../components/segments.tsx';
import { whenCached } from '../../offline/offline.ts';
import { useStore } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import { paintOf } from '../graph/paint.ts';
import styles from './call-graph.module.css';
import { callGraph } from './call-model.ts';
import { DEPTHS, depthOf, placeParams, projectOf, SYMBOL, symbolChange } from './code-url-state.ts';
import { useReloadWithCode } from './use-reload-on.ts';

const MAX_EDGES = 200;

const loadCanvas = async () => {
  await whenCached();
  return (await import('../graph/canvas.tsx')).Canvas;
};

/** A drawing of the callers and callees of a symbol. Selecting a symbol draws its calls. */
export function CallGraph({ symbolId }: { readonly symbolId: string }) {
  const { route, go, adjust } = useRoute();
  const depth = depthOf(route.params);
  const asked = { symbol_id: symbolId, depth: Number(depth), limit: MAX_EDGES };
  const callers = useTool('symbol_graph', { ...asked, action: 'callers' });
  const callees = useTool('symbol_graph', { ...asked, action: 'callees' });
  useReloadWithCode(callers.reload, callees.reload);
  const shown = useStore(shownTheme);
  const isOf = (answer: typeof callers.data): boolean => answer?.nodes[0]?.symbol_id === symbolId;
  const answers = useMemo(
    () => [callers.data, callees.data].filter((answer) => answer !== undefined),
    [callers.data, callees.data],
  );
  const graph = useMemo(() => callGraph(answers, symbolId), [answers, symbolId]);
  const paint = useMemo(() => paintOf(graph, 'type', shown), [graph, shown]);
  const Canvas = lazyComponent(loadCanvas);
  const error = callers.error ?? callees.error;
  const retry = (): void => {
    callers.reload();
    callees.reload();
  };
  if (error !== undefined) return <Problem problem={error} onRetry={retry} />;
  if (answers.length < 2 || !isOf(callers.data) || !isOf(callees.data)) return <div aria-busy="true" />;
  const symbols = new Map(answers.flatMap(({ nodes }) => nodes).map((node) => [node.symbol_id, node]));
  const select = (record: Selection | undefined): void => {
    if (record === undefined) return;
    if (symbols.has(record.id)) go({ selection: record });
    else open(record);
  };
  const open = ({ id }: Selection): void => {
    const symbol = symbols.get(id);
    const project = projectOf(id);
    if (symbol === undefined) go({ params: placeParams(project, id.slice(project.length + 1)) });
    else go(symbolChange(symbol));
  };
  const center = symbols.get(symbolId);
  const isCut = answers.some(({ truncated }) => truncated);
  return (
    <div className={styles.calls}>
      <div className={styles.bar}>
        <h2>Calls of {center?.name}</h2>
        <Segments
          label="Steps"
          choices={DEPTHS}
          chosen={depth}
          onChoose={(id) => adjust({ params: { depth: id === '1' ? undefined : id } })}
        />
        <span className={styles.count}>
          {counted(graph.nodes.length, 'symbol')}, {counted(graph.edges.length, 'edge')}
          {isCut ? '; more are left out' : ''}
        </span>
        {center !== undefined && <Button onPress={() => go(symbolChange(center))}>Show source</Button>}
      </div>
      <div className={styles.canvas}>
        <Suspense>
          <Canvas
            graph={graph}
            paint={paint}
            selected={{ kind: SYMBOL, id: symbolId }}
            alternative="The inspector lists the calls for the keyboard."
            onRenderer={ignore}
            onSelect={select}
            onOpen={open}
            onSettled={ignore}
          />
        </Suspense>
      </div>
      <ul className={styles.legend}>
        {paint.legend.map(({ word, color, count }) => (
          <li key={word}>
            <span className={styles.dot} style={{ background: color }} aria-hidden />
            {word} <span className={styles.count}>{count}</span>
          </li>
        ))}
        <li>
          <span className={styles.edge} aria-hidden />
          resolved
        </li>
        <li>
          <span className={`${styles.edge} ${styles.dotted}`} aria-hidden />
          likely
        </li>
      </ul>
    </div>
  );
}

function ignore(): void {}
