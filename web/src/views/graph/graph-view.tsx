import { Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Selection } from '../../app/route.ts';
import { shownTheme } from '../../app/theme.ts';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { useRoute } from '../../app/use-route.ts';
import { Problem } from '../../components/problem.tsx';
import { statusRanks, typeRanks } from '../../components/type-color.ts';
import { whenKept } from '../../offline/offline.ts';
import { EmptyMemory } from '../../files/empty-memory.tsx';
import { useStore } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import styles from './graph-view.module.css';
import { Legend } from './legend.tsx';
import type { ShownGraph } from './model.ts';
import { linesOf, type Paint, paintOf } from './paint.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { Stage } from './renderer.ts';
import { Start } from './start.tsx';
import { Toolbar } from './toolbar.tsx';
import { useGraph } from './use-graph.ts';
import {
  around,
  begins,
  isOpen,
  MOST_MAX,
  orMostUsed,
  parseWish,
  switched,
  toggledOpen,
  type Wish,
  wishParams,
  withHidden,
} from './graph-url-state.ts';

/** What draws is loaded when there is something to draw, which there is not in an empty memory. */
const loadCanvas = async () => {
  await whenKept();
  return (await import('./canvas.tsx')).Canvas;
};
const loadNodeList = async () => (await import('./node-list.tsx')).NodeList;

/** A part of the memory as a graph: what is used most, or what was searched for, and what a person opens from there. */
export function GraphView() {
  const { route, go, adjust } = useRoute();
  const asked = useMemo(() => parseWish(route.params), [route.params]);
  const wish = useMemo(() => orMostUsed(asked, route.params), [asked, route.params]);
  const shown = useStore(shownTheme);
  const state = useGraph(wish, route.domain);
  const { data: stats } = useTool('explore_stats', {});
  const types = useStore(typeRanks);
  const statuses = useStore(statusRanks);
  const byCommunity = useCommunities(wish.coloring === 'community');
  const paint = useMemo(() => {
    if (wish.coloring !== 'community') return paintOf(state.graph, wish.coloring, shown);
    return byCommunity === undefined ? paintOf(state.graph, 'type', shown) : byCommunity(state.graph, shown);
  }, [state.graph, wish.coloring, byCommunity, shown, types, statuses]);
  const Canvas = lazyComponent(loadCanvas);
  const NodeList = lazyComponent(loadNodeList);
  const [stage, setStage] = useState<Stage>();
  const [isSettled, setSettled] = useState(true);
  const [showsList, setShowsList] = useState(false);
  const selected = route.selection;

  const change = useCallback((part: Partial<Wish>) => adjust({ params: wishParams(part) }), [adjust]);
  const select = useCallback((record: Selection | undefined) => go({ selection: record ?? null }), [go]);
  const open = useCallback(
    (record: Selection) => adjust({ params: wishParams(toggledOpen(wish, record)) }),
    [adjust, wish],
  );
  const focus = (record: Selection): void => go({ params: wishParams(around(record, wish.shows)), selection: record });
  const hide = (record: Selection): void => {
    change(withHidden(wish, record));
    go({ selection: null });
  };

  const { totals, graph } = state;
  if (totals !== undefined && totals.entities + totals.memories === 0 && route.domain === undefined)
    return <EmptyMemory />;
  // Whether there is anything is not known yet.
  if (totals === undefined && state.error === undefined && !begins(asked)) return null;
  const node = graph.nodes.find(({ kind, id }) => kind === selected?.kind && id === selected.id);
  const hasMemories =
    asked.shows !== 'entities' || (totals?.memories ?? 0) > 0 || (stats?.counts.memories_ended ?? 0) > 0;
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Graph</h1>
      <Toolbar
        wish={wish}
        state={state}
        stats={stats}
        stage={stage}
        isSettled={isSettled}
        showsList={showsList}
        onChange={change}
        onToggleList={() => setShowsList(!showsList)}
      />
      {wish.most !== undefined && (
        <Start
          total={graph.nodes.length + state.omitted}
          drawsAll={state.omitted === 0 || wish.most === MOST_MAX}
          autoFocus={!begins(asked)}
          onChoose={focus}
          onDrawAll={() => go({ params: wishParams({ most: MOST_MAX, shows: wish.shows }) })}
        />
      )}
      <div className={styles.place}>
        <Suspense>
          {showsList && <NodeList graph={graph} paint={paint} selected={selected} onSelect={select} onOpen={open} />}
        </Suspense>
        <div className={styles.stage}>
          <Suspense>
            {graph.nodes.length > 0 && (
              <Canvas
                graph={graph}
                paint={paint}
                selected={selected}
                onStage={setStage}
                onSelect={select}
                onOpen={open}
                onSettled={setSettled}
              />
            )}
          </Suspense>
          {state.error !== undefined && <Problem problem={state.error} onRetry={state.reload} />}
          {node !== undefined && selected !== undefined && (
            <SelectionBar
              key={node.key}
              record={selected}
              name={node.name}
              isOpen={isOpen(wish, selected)}
              stage={stage}
              onOpen={() => open(selected)}
              onHide={() => hide(selected)}
              onFocus={() => focus(selected)}
            />
          )}
          {state.unknown.length > 0 && <p className={styles.unknown}>Not in the memory: {state.unknown.join(', ')}</p>}
        </div>
      </div>
      <Legend
        legend={paint.legend}
        lines={linesOf(graph)}
        coloring={wish.coloring}
        shows={hasMemories ? wish.shows : 'entities'}
        hasMemories={hasMemories}
        onColoring={(coloring) => change({ coloring })}
        onShows={(shows) => go({ params: wishParams({ most: wish.most, ...switched(wish, shows) }) })}
      />
    </div>
  );
}

/** What finds communities, when it is needed and there. */
function useCommunities(isNeeded: boolean): ((graph: ShownGraph, shown: 'light' | 'dark') => Paint) | undefined {
  const [found, setFound] = useState<(graph: ShownGraph, shown: 'light' | 'dark') => Paint>();
  useEffect(() => {
    if (isNeeded) void import('./communities.ts').then(({ byCommunity }) => setFound(() => byCommunity));
  }, [isNeeded]);
  return found;
}
