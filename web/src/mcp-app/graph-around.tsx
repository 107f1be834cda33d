import { useCallback, useMemo, useState } from 'react';
import type { Selection } from '../app/route.ts';
import { shownTheme } from '../app/theme.ts';
import { useRoute } from '../app/use-route.ts';
import { Button } from '../components/button.tsx';
import { Problem } from '../components/problem.tsx';
import { statusColors, typeColors } from '../components/type-color.ts';
import { useStore } from '../source/source-context.tsx';
import { Canvas } from '../views/graph/canvas.tsx';
import { graphUrlParams, hasStart, parseGraphUrl, toggleExpanded } from '../views/graph/graph-url-state.ts';
import { paintOf } from '../views/graph/paint.ts';
import { useGraph } from '../views/graph/use-graph.ts';
import styles from './mcp-app.module.css';

/** The graph around memories, or around the record that the user has chosen to see. */
export function GraphAround({ ids }: { readonly ids: readonly string[] }) {
  const { route, go } = useRoute();
  const asked = useMemo(() => parseGraphUrl(route.params), [route.params]);
  const isElsewhere = hasStart(asked);
  const key = ids.join(' ');
  const urlState = useMemo(
    () => (isElsewhere ? asked : { ...asked, shows: 'all' as const, focusMemories: ids }),
    [asked, isElsewhere, key],
  );
  const state = useGraph(urlState, undefined);
  const shown = useStore(shownTheme);
  const types = useStore(typeColors);
  const statuses = useStore(statusColors);
  const paint = useMemo(() => paintOf(state.graph, 'type', shown), [state.graph, shown, types, statuses]);
  const [, setSettled] = useState(true);
  const select = useCallback((record: Selection | undefined) => go({ selection: record ?? null }), [go]);
  const open = useCallback(
    (record: Selection) => go({ params: graphUrlParams(toggleExpanded(urlState, record)) }),
    [go, urlState],
  );
  return (
    <section className={styles.graph} aria-label="Graph">
      {state.graph.nodes.length > 0 && (
        <Canvas
          graph={state.graph}
          paint={paint}
          selected={route.selection}
          alternative="The list of memories and the inspector show the same content for the keyboard."
          onRenderer={nothing}
          onSelect={select}
          onOpen={open}
          onSettled={setSettled}
        />
      )}
      {state.error !== undefined && <Problem problem={state.error} onRetry={state.reload} />}
      {isElsewhere && (
        <div className={styles.back}>
          <Button onPress={() => go({ view: 'graph', params: {} })}>Back to the memories</Button>
        </div>
      )}
    </section>
  );
}

function nothing(): void {}
