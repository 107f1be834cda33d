import { useRef, useState } from 'react';
import styles from './brush.module.css';
import { between, formatTime, moved, resized, shareOf, type Span, timeAt, unitOf } from './span.ts';

interface Props {
  readonly range: Span;
  readonly window: Span | undefined;
  readonly onWindow: (window: Span | undefined) => void;
  readonly helpId: string;
}

type Grip = 'new' | 'move' | 'from' | 'to';

interface Drag {
  readonly grip: Grip;
  readonly startTime: number;
  readonly start: Span | undefined;
  readonly span: Span | undefined;
}

const GRIP_PIXELS = 9;
const MOVED_PIXELS = 3;
/** The first window created by keyboard is the last one of this many equal parts of the range. */
const FIRST_PART = 6;
const STEPS = 60;

/** A window of time over the bars: drawn, moved and resized by pointer or by keyboard. */
export function Brush({ range, window, onWindow, helpId }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const unit = unitOf(range);
  // The range may begin at any second, but windows end at whole units.
  const bounds = between(range.from, range.to, range, unit);
  const shown = drag === undefined ? window : drag.span;

  const timeOf = (event: React.PointerEvent): number => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return timeAt((event.clientX - left) / width, range);
  };
  const pixelsPerMilli = (): number => (box.current?.clientWidth ?? 1) / (range.to - range.from);

  const onPointerDown = (event: React.PointerEvent): void => {
    if (event.button !== 0) return;
    const time = timeOf(event);
    const reach = GRIP_PIXELS / pixelsPerMilli();
    const grip = gripAt(time, window, reach);
    box.current?.setPointerCapture(event.pointerId);
    setDrag({ grip, startTime: time, start: window, span: window });
  };
  const onPointerMove = (event: React.PointerEvent): void => {
    if (drag === undefined) return;
    const time = timeOf(event);
    const by = Math.round((time - drag.startTime) / unit) * unit;
    if (Math.abs(time - drag.startTime) * pixelsPerMilli() < MOVED_PIXELS) return;
    setDrag({ ...drag, span: dragged(drag, time, by) });
  };
  const dragged = ({ grip, start, startTime }: Drag, time: number, by: number): Span => {
    if (grip === 'new' || start === undefined) return between(startTime, time, range, unit);
    return grip === 'move' ? moved(start, by, bounds) : resized(start, grip, by, bounds, unit);
  };
  const onPointerUp = (): void => {
    if (drag === undefined) return;
    setDrag(undefined);
    // A press outside of the window removes it.
    if (drag.span === drag.start) onWindow(drag.grip === 'new' ? undefined : window);
    else onWindow(drag.span);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const next = byKey(event.key, event.shiftKey, shown, bounds, unit);
    if (next === undefined) return;
    event.preventDefault();
    onWindow(next === 'none' ? undefined : next);
  };
  const [left, right] = shown === undefined ? [0, 0] : [shareOf(shown.from, range), shareOf(shown.to, range)];
  return (
    <div
      ref={box}
      className={styles.brush}
      role="slider"
      tabIndex={0}
      aria-label="Time range"
      aria-describedby={helpId}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(left * 100)}
      aria-valuetext={shown === undefined ? 'none' : `${formatTime(shown.from)} to ${formatTime(shown.to)}`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDrag(undefined)}
      onKeyDown={onKeyDown}
    >
      {shown !== undefined && (
        <div className={styles.window} style={{ left: `${left * 100}%`, right: `${(1 - right) * 100}%` }}>
          <span className={styles.grip} data-end="from" />
          <span className={styles.grip} data-end="to" />
        </div>
      )}
    </div>
  );
}

function gripAt(time: number, window: Span | undefined, reach: number): Grip {
  if (window === undefined) return 'new';
  if (Math.abs(time - window.from) <= reach) return 'from';
  if (Math.abs(time - window.to) <= reach) return 'to';
  return time > window.from && time < window.to ? 'move' : 'new';
}

/**
 * The window after a key: arrow keys move it, with Shift they resize it, Home and End go to the ends, Escape removes
 * it.
 */
function byKey(
  key: string,
  isShift: boolean,
  window: Span | undefined,
  range: Span,
  unit: number,
): Span | 'none' | undefined {
  const step = Math.max(unit, Math.round((range.to - range.from) / STEPS / unit) * unit);
  const signs: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -6,
    PageUp: 6,
  };
  const sign = signs[key];
  if (key === 'Escape') return window === undefined ? undefined : 'none';
  if (sign === undefined && key !== 'Home' && key !== 'End') return undefined;
  if (window === undefined) return between(range.to - (range.to - range.from) / FIRST_PART, range.to, range, unit);
  const length = range.to - range.from;
  if (sign === undefined) return moved(window, key === 'Home' ? -length : length, range);
  return isShift ? resized(window, 'to', sign * step, range, unit) : moved(window, sign * step, range);
}
