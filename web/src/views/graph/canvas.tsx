import { useEffect, useRef } from 'react';
import { shownTheme } from '../../app/theme.ts';
import type { Selection } from '../../app/route.ts';
import { counted } from '../../components/format.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './canvas.module.css';
import { nodesText, type ShownGraph } from './model.ts';
import type { Paint } from './paint.ts';
import { GraphRenderer, type RendererEvents } from './renderer.ts';
import type { RendererColors } from './renderer-colors.ts';

interface Props {
  readonly graph: ShownGraph;
  readonly paint: Paint;
  readonly selected: Selection | undefined;
  /** A sentence that names the part of the page with the same content for the keyboard. */
  readonly alternative?: string;
  readonly onRenderer: (renderer: GraphRenderer | undefined) => void;
  readonly onSelect: (record: Selection | undefined) => void;
  readonly onOpen: (record: Selection) => void;
  readonly onSettled: (isDone: boolean) => void;
}

const PAN_SHARE = 0.15;

/** The React component of the graph renderer. */
export function Canvas({
  graph,
  paint,
  selected,
  alternative = 'The node list shows the same content for the keyboard.',
  onRenderer,
  onSelect,
  onOpen,
  onSettled,
}: Props) {
  const container = useRef<HTMLDivElement>(null);
  const renderer = useRef<GraphRenderer>(undefined);
  const events = useRef<RendererEvents>(undefined);
  const shown = useStore(shownTheme);
  events.current = { onselect: onSelect, onopen: onOpen, onsettled: onSettled };

  useEffect(() => {
    if (container.current === null) return;
    const made = new GraphRenderer(container.current, colorsNow(), {
      onselect: (record) => events.current?.onselect(record),
      onopen: (record) => events.current?.onopen(record),
      onsettled: (isDone) => events.current?.onsettled(isDone),
    });
    renderer.current = made;
    onRenderer(made);
    return () => {
      renderer.current = undefined;
      onRenderer(undefined);
      made.end();
    };
  }, [onRenderer]);
  useEffect(() => renderer.current?.setColors(colorsNow()), [shown]);
  useEffect(() => renderer.current?.show(graph, paint), [graph, paint]);
  useEffect(() => renderer.current?.select(selected), [selected?.kind, selected?.id, graph]);

  return (
    <div
      ref={container}
      className={styles.canvas}
      role="application"
      aria-label={`Graph of ${nodesText(graph)} and ${counted(graph.edges.length, 'edge')}. ${alternative}`}
      tabIndex={0}
      onKeyDown={(event) => {
        const camera = renderer.current?.sigma.getCamera();
        const step = PAN_SHARE * (camera?.ratio ?? 1);
        const { x = 0, y = 0 } = camera?.getState() ?? {};
        const moves: Record<string, () => unknown> = {
          ArrowLeft: () => camera?.animate({ x: x - step }),
          ArrowRight: () => camera?.animate({ x: x + step }),
          ArrowUp: () => camera?.animate({ y: y + step }),
          ArrowDown: () => camera?.animate({ y: y - step }),
          '+': () => camera?.animatedZoom(),
          '-': () => camera?.animatedUnzoom(),
          '0': () => camera?.animatedReset(),
        };
        const move = moves[event.key];
        if (move === undefined || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        void move();
      }}
    />
  );
}

function colorsNow(): RendererColors {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: value('--text'),
    muted: value('--muted'),
    background: value('--raised'),
    ground: value('--bg'),
    edge: value('--graph-edge'),
    dense: value('--graph-dense'),
    faded: value('--graph-faded'),
    accent: value('--accent'),
    supports: value('--good'),
    contradicts: value('--danger'),
    supersedes: value('--warn'),
  };
}
