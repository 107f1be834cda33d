import { Network, X, ZoomIn, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import { Input, Label, TextField } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { DAY, formatTime, parseTime, type Span, unitOf } from './span.ts';
import styles from './window-bar.module.css';
import { rangeParams, windowParams } from './timeline-url-state.ts';

interface Props {
  /** The period of the chart; `undefined` while loading. */
  readonly range: Span | undefined;
  readonly window: Span | undefined;
  readonly isZoomed: boolean;
  readonly onWindow: (window: Span | undefined) => void;
}

/** Number of entities in the graph of a period. */
const GRAPH_ENTITIES = 200;

/** The window as text, with its actions. */
export function WindowBar({ range, window, isZoomed, onWindow }: Props) {
  const { go } = useRoute();
  const unit = range === undefined ? DAY : unitOf(range);
  const whole = window ?? range;
  const set = (part: Partial<Span>): void => {
    if (whole === undefined) return;
    const next = { ...whole, ...part };
    if (next.from < next.to) onWindow(next);
  };
  const graph = (): void => go({ view: 'graph', params: { ...windowParams(whole), most: String(GRAPH_ENTITIES) } });
  return (
    <div className={styles.bar} role="group" aria-label="Time range">
      <Time label="From (UTC)" time={window?.from} unit={unit} onChange={(from) => set({ from })} />
      <Time label="To (UTC, exclusive)" time={window?.to} unit={unit} onChange={(to) => set({ to })} />
      <Button variant="quiet" icon={X} isDisabled={window === undefined} onPress={() => onWindow(undefined)}>
        Clear
      </Button>
      <Button
        variant="quiet"
        icon={ZoomIn}
        isDisabled={window === undefined}
        onPress={() => go({ params: { ...rangeParams(window), ...windowParams(undefined) } })}
      >
        Zoom in
      </Button>
      {isZoomed && (
        <Button variant="quiet" icon={ZoomOut} onPress={() => go({ params: rangeParams(undefined) })}>
          All time
        </Button>
      )}
      <Button icon={Network} isDisabled={window === undefined && !isZoomed} onPress={graph}>
        Show in graph
      </Button>
    </div>
  );
}

interface TimeProps {
  readonly label: string;
  readonly time: number | undefined;
  readonly unit: number;
  readonly onChange: (time: number) => void;
}

/** An input for an end of the window, as a day or with its time. Incomplete input stays in the field. */
function Time({ label, time, unit, onChange }: TimeProps) {
  const isDay = unit === DAY && (time === undefined || time % DAY === 0);
  const text = time === undefined ? '' : isDay ? formatTime(time) : new Date(time).toISOString().slice(0, 16);
  const [typed, setTyped] = useState<string>();
  const change = (next: string): void => {
    setTyped(next);
    const millis = parseTime(next);
    if (millis !== undefined) onChange(millis);
  };
  return (
    <TextField className={styles.time} value={typed ?? text} onChange={change} onBlur={() => setTyped(undefined)}>
      <Label className={styles.label}>{label}</Label>
      <Input className={styles.input} type={isDay ? 'date' : 'datetime-local'} />
    </TextField>
  );
}
