import { useCallback, useMemo, useState } from 'react';
import { formatNames } from '../../app/route.ts';
import { shownTheme } from '../../app/theme.ts';
import { useRoute } from '../../app/use-route.ts';
import { Problem } from '../../parts/problem.tsx';
import { statusRanks, typeRanks } from '../../parts/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import { Canvas } from './canvas.tsx';
import styles from './graph-view.module.css';
import { Legend } from './legend.tsx';
import { NodeList } from './node-list.tsx';
import { paintOf } from './paint.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { Stage } from './stage.ts';
import { Start } from './start.tsx';
import { Toolbar } from './toolbar.tsx';
import { useGraph } from './use-graph.ts';
import { parseWish, type Wish, wishParams } from './wish.ts';

/** A part of the memory as a graph: what was searched for, and what a person opens from there. */
export function GraphView() {
  const { route, go, adjust } = useRoute();
  const wish = useMemo(() => parseWish(route.params), [route.params]);
  const shown = useStore(shownTheme);
  const state = useGraph(wish);
  const types = useStore(typeRanks);
  const statuses = useStore(statusRanks);
  const paint = useMemo(() => paintOf(state.graph, wish.coloring, shown), [state.graph, wish.coloring, shown, types, statuses]);
  const [stage, setStage] = useState<Stage>();
  const [isSettled, setSettled] = useState(true);
  const [showsList, setShowsList] = useState(false);
  const selected = route.selection?.kind === 'entity' ? route.selection.id : undefined;

  const change = useCallback((part: Partial<Wish>) => adjust({ params: wishParams(part) }), [adjust]);
  const select = useCallback((name: string | undefined) => go({ selection: name === undefined ? null : { kind: 'entity', id: name } }), [go]);
  const open = useCallback(
    (name: string) => {
      const { open: opened } = parseWish(route.params);
      adjust({ params: wishParams({ open: opened.includes(name) ? opened.filter((other) => other !== name) : [...opened, name] }) });
    },
    [adjust, route.params],
  );
  const focus = (name: string): void =>
    go({ params: { focus: formatNames([name]), open: undefined, hide: undefined, most: undefined }, selection: { kind: 'entity', id: name } });
  const hide = (name: string): void => {
    change({ hidden: [...wish.hidden, name] });
    go({ selection: null });
  };

  if (state.totals?.entities === 0 || (wish.focus.length === 0 && wish.most === undefined)) {
    return <Start onChoose={focus} onDrawMost={(most) => go({ params: { most: String(most) } })} />;
  }
  const isShown = selected !== undefined && state.graph.nodes.some(({ name }) => name === selected);
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Graph</h1>
      <Toolbar wish={wish} state={state} stage={stage} isSettled={isSettled} showsList={showsList} onChange={change} onToggleList={() => setShowsList(!showsList)} />
      <div className={styles.place}>
        {showsList && <NodeList graph={state.graph} paint={paint} selected={selected} onSelect={select} onOpen={open} />}
        <div className={styles.stage}>
          <Canvas graph={state.graph} paint={paint} selected={selected} onStage={setStage} onSelect={select} onOpen={open} onSettled={setSettled} />
          {state.error !== undefined && <Problem problem={state.error} onRetry={state.reload} />}
          {isShown && (
            <SelectionBar key={selected} name={selected} isOpen={wish.open.includes(selected)} stage={stage} onOpen={() => open(selected)} onHide={() => hide(selected)} onFocus={() => focus(selected)} />
          )}
          {state.unknown.length > 0 && <p className={styles.unknown}>Not in the memory: {state.unknown.join(', ')}</p>}
        </div>
      </div>
      <Legend legend={paint.legend} coloring={wish.coloring} onColoring={(coloring) => change({ coloring })} />
    </div>
  );
}
