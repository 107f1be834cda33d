import { Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Selection } from '../../app/route.ts';
import { shownTheme } from '../../app/theme.ts';
import { lazily } from '../../app/lazy-component.tsx';
import { useRoute } from '../../app/use-route.ts';
import { Problem } from '../../components/problem.tsx';
import { statusRanks, typeRanks } from '../../components/type-color.ts';
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
  parseWish,
  switched,
  toggledOpen,
  type Wish,
  wishParams,
  withHidden,
} from './graph-url-state.ts';

/** A first visit begins with a search: what draws is loaded when there is something to draw. */
const loadCanvas = async () => (await import('./canvas.tsx')).Canvas;
const loadNodeList = async () => (await import('./node-list.tsx')).NodeList;

/** A part of the memory as a graph: what was searched for, and what a person opens from there. */
export function GraphView() {
  const { route, go, adjust } = useRoute();
  const wish = useMemo(() => parseWish(route.params), [route.params]);
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
  const Canvas = lazily(loadCanvas);
  const NodeList = lazily(loadNodeList);
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
  const total =
    totals === undefined
      ? 1
      : (wish.shows === 'memories' ? 0 : totals.entities) + (wish.shows === 'entities' ? 0 : totals.memories);
  if (total === 0 || !begins(wish)) {
    return <Start onChoose={focus} onDrawMost={(most, shows) => go({ params: wishParams({ most, shows }) })} />;
  }
  const node = graph.nodes.find(({ kind, id }) => kind === selected?.kind && id === selected.id);
  const hasMemories =
    wish.shows !== 'entities' || (totals?.memories ?? 0) > 0 || (stats?.counts.memories_ended ?? 0) > 0;
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
      <div className={styles.place}>
        <Suspense>
          {showsList && <NodeList graph={graph} paint={paint} selected={selected} onSelect={select} onOpen={open} />}
        </Suspense>
        <div className={styles.stage}>
          <Suspense>
            <Canvas
              graph={graph}
              paint={paint}
              selected={selected}
              onStage={setStage}
              onSelect={select}
              onOpen={open}
              onSettled={setSettled}
            />
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
        shows={wish.shows}
        hasMemories={hasMemories}
        onColoring={(coloring) => change({ coloring })}
        onShows={(shows) => go({ params: wishParams(switched(wish, shows)) })}
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
