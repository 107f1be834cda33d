import { Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Selection } from '../../app/route.ts';
import { shownTheme } from '../../app/theme.ts';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { loadOrNotify } from '../../app/load-or-notify.ts';
import { useRoute } from '../../app/use-route.ts';
import { Problem } from '../../components/problem.tsx';
import { statusColors, typeColors } from '../../components/type-color.ts';
import { whenCached } from '../../offline/offline.ts';
import { EmptyMemory } from '../../files/empty-memory.tsx';
import { useStore } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import styles from './graph-view.module.css';
import { Legend } from './legend.tsx';
import type { ShownGraph } from './model.ts';
import { linesOf, type Paint, paintOf } from './paint.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { GraphRenderer } from './renderer.ts';
import { Start } from './start.tsx';
import { Toolbar } from './toolbar.tsx';
import { useGraph } from './use-graph.ts';
import {
  around,
  hasStart,
  isOpen,
  MAX_MOST,
  orMostUsed,
  parseGraphUrl,
  withShown,
  toggleExpanded,
  type GraphUrlState,
  graphUrlParams,
  hideRecord,
} from './graph-url-state.ts';

/** The canvas is loaded only if there is something to draw. */
const loadCanvas = async () => {
  await whenCached();
  return (await import('./canvas.tsx')).Canvas;
};
const loadNodeList = async () => (await import('./node-list.tsx')).NodeList;

/** A part of the memory as a graph: the most used records or a focus, and the records that the user expands. */
export function GraphView() {
  const { route, go, adjust } = useRoute();
  const asked = useMemo(() => parseGraphUrl(route.params), [route.params]);
  const urlState = useMemo(() => orMostUsed(asked, route.params), [asked, route.params]);
  const shown = useStore(shownTheme);
  const state = useGraph(urlState, route.domain);
  const { data: stats } = useTool('explore_stats', {});
  const types = useStore(typeColors);
  const statuses = useStore(statusColors);
  const byCommunity = useCommunities(urlState.coloring === 'community');
  const paint = useMemo(() => {
    if (urlState.coloring !== 'community') return paintOf(state.graph, urlState.coloring, shown);
    return byCommunity === undefined ? paintOf(state.graph, 'type', shown) : byCommunity(state.graph, shown);
  }, [state.graph, urlState.coloring, byCommunity, shown, types, statuses]);
  const Canvas = lazyComponent(loadCanvas);
  const NodeList = lazyComponent(loadNodeList);
  const [renderer, setRenderer] = useState<GraphRenderer>();
  const [isSettled, setSettled] = useState(true);
  const [showsList, setShowsList] = useState(false);
  const selected = route.selection;

  const change = useCallback((part: Partial<GraphUrlState>) => adjust({ params: graphUrlParams(part) }), [adjust]);
  const select = useCallback((record: Selection | undefined) => go({ selection: record ?? null }), [go]);
  const step = (record: Selection | undefined, isByKeys: boolean): void =>
    (isByKeys ? adjust : go)({ selection: record ?? null });
  const open = useCallback(
    (record: Selection) => adjust({ params: graphUrlParams(toggleExpanded(urlState, record)) }),
    [adjust, urlState],
  );
  const focus = (record: Selection): void =>
    go({ params: graphUrlParams(around(record, urlState.shows)), selection: record });
  const hide = (record: Selection): void =>
    go({ params: graphUrlParams(hideRecord(urlState, record)), selection: null });

  const { totals, graph } = state;
  if (totals !== undefined && totals.entities + totals.memories === 0 && route.domain === undefined)
    return <EmptyMemory />;
  // The totals are not known yet.
  if (totals === undefined && state.error === undefined && !hasStart(asked)) return null;
  const node = graph.nodes.find(({ kind, id }) => kind === selected?.kind && id === selected.id);
  const hasMemories =
    asked.shows !== 'entities' || (totals?.memories ?? 0) > 0 || (stats?.counts.memories_ended ?? 0) > 0;
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Graph</h1>
      <Toolbar
        urlState={urlState}
        state={state}
        stats={stats}
        renderer={renderer}
        isSettled={isSettled}
        showsList={showsList}
        onChange={change}
        onToggleList={() => setShowsList(!showsList)}
      />
      {urlState.most !== undefined && (
        <Start
          total={graph.nodes.length + state.omitted}
          drawsAll={state.omitted === 0 || urlState.most === MAX_MOST}
          autoFocus={!hasStart(asked)}
          onChoose={focus}
          onDrawAll={() => go({ params: graphUrlParams({ most: MAX_MOST, shows: urlState.shows }) })}
        />
      )}
      <div className={styles.place}>
        <Suspense>
          {showsList && <NodeList graph={graph} paint={paint} selected={selected} onSelect={step} onOpen={open} />}
        </Suspense>
        <div className={styles.canvas}>
          <Suspense>
            {graph.nodes.length > 0 && (
              <Canvas
                graph={graph}
                paint={paint}
                selected={selected}
                onRenderer={setRenderer}
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
              isOpen={isOpen(urlState, selected)}
              renderer={renderer}
              onOpen={() => open(selected)}
              onHide={() => hide(selected)}
              onFocus={() => focus(selected)}
            />
          )}
          {state.unknown.length > 0 && <p className={styles.unknown}>Not found: {state.unknown.join(', ')}</p>}
        </div>
      </div>
      <Legend
        legend={paint.legend}
        lines={linesOf(graph)}
        coloring={urlState.coloring}
        shows={hasMemories ? urlState.shows : 'entities'}
        hasMemories={hasMemories}
        onColoring={(coloring) => change({ coloring })}
        onShows={(shows) => go({ params: graphUrlParams({ most: urlState.most, ...withShown(urlState, shows) }) })}
      />
    </div>
  );
}

/** Loads the detection of communities on demand. */
function useCommunities(isNeeded: boolean): ((graph: ShownGraph, shown: 'light' | 'dark') => Paint) | undefined {
  const [found, setFound] = useState<(graph: ShownGraph, shown: 'light' | 'dark') => Paint>();
  useEffect(() => {
    if (isNeeded) void loadOrNotify(() => import('./communities.ts')).then((part) => setFound(() => part?.byCommunity));
  }, [isNeeded]);
  return found;
}
