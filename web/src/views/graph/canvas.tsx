import { useEffect, useRef } from 'react';
import { shownTheme } from '../../app/theme.ts';
import type { Selection } from '../../app/route.ts';
import { counted } from '../../components/format.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './canvas.module.css';
import { nodesText, type ShownGraph } from './model.ts';
import type { Paint } from './paint.ts';
import { Stage, type StageEvents } from './renderer.ts';
import type { StageColors } from './stage-colors.ts';

interface Props {
  readonly graph: ShownGraph;
  readonly paint: Paint;
  readonly selected: Selection | undefined;
  readonly onStage: (stage: Stage | undefined) => void;
  readonly onSelect: (record: Selection | undefined) => void;
  readonly onOpen: (record: Selection) => void;
  readonly onSettled: (isDone: boolean) => void;
}

const PAN_SHARE = 0.15;

/** The stage as a component. */
export function Canvas({ graph, paint, selected, onStage, onSelect, onOpen, onSettled }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(undefined);
  const events = useRef<StageEvents>(undefined);
  const shown = useStore(shownTheme);
  events.current = { onselect: onSelect, onopen: onOpen, onsettled: onSettled };

  useEffect(() => {
    if (container.current === null) return;
    const made = new Stage(container.current, colorsNow(), {
      onselect: (record) => events.current?.onselect(record),
      onopen: (record) => events.current?.onopen(record),
      onsettled: (isDone) => events.current?.onsettled(isDone),
    });
    stage.current = made;
    onStage(made);
    return () => {
      stage.current = undefined;
      onStage(undefined);
      made.end();
    };
  }, [onStage]);
  useEffect(() => stage.current?.setColors(colorsNow()), [shown]);
  useEffect(() => stage.current?.show(graph, paint), [graph, paint]);
  useEffect(() => stage.current?.select(selected), [selected?.kind, selected?.id, graph]);

  return (
    <div
      ref={container}
      className={styles.canvas}
      role="application"
      aria-label={`Graph of ${nodesText(graph)} and ${counted(graph.edges.length, 'line')} between them. The list of what is drawn shows the same by keyboard.`}
      tabIndex={0}
      onKeyDown={(event) => {
        const camera = stage.current?.sigma.getCamera();
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

function colorsNow(): StageColors {
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
