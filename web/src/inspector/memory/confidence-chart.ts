import { day, millisOf, percent } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';

export type Confidence = Output<'explore_memory'>['confidence'];

/** Lines of a chart of the given size; y increases downwards, as in SVG. */
export interface ConfidenceChart {
  /** The history up to now. */
  readonly known: string;
  /** Isolated known values: when earlier texts were replaced. */
  readonly alone: readonly { readonly x: number; readonly y: number }[];
  /** The forecast if the memory is not used. */
  readonly expected: string;
  /** The position of the present. */
  readonly nowX: number;
  readonly nowY: number;
}

/**
 * The confidence of a memory over time: lines of history and forecast, and dots of known values. `undefined` for fewer
 * than two points.
 */
export function confidenceChart({ points }: Confidence, width: number, height: number): ConfidenceChart | undefined {
  const placed = points
    .map(({ at, value, is_expected, is_alone }) => ({
      millis: millisOf(at),
      value,
      isExpected: is_expected,
      isAlone: is_alone ?? false,
    }))
    .filter(({ millis }) => !Number.isNaN(millis));
  const [first] = placed;
  const last = placed.at(-1);
  const known = placed.filter(({ isExpected, isAlone }) => !isExpected && !isAlone);
  const now = known.at(-1);
  if (first === undefined || last === undefined || now === undefined || placed.length < 2) return undefined;
  const span = Math.max(1, last.millis - first.millis);
  const x = (millis: number): number => ((millis - first.millis) / span) * width;
  const y = (value: number): number => (1 - Math.min(1, Math.max(0, value))) * height;
  const line = (some: readonly (typeof now)[]): string =>
    some.map(({ millis, value }) => `${x(millis).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return {
    known: line(known),
    alone: placed.filter(({ isAlone }) => isAlone).map(({ millis, value }) => ({ x: x(millis), y: y(value) })),
    expected: line([now, ...placed.filter(({ isExpected }) => isExpected)]),
    nowX: x(now.millis),
    nowY: y(now.value),
  };
}

/** A description of the chart for screen readers. */
export function confidenceText({ points, fades_at }: Confidence): string {
  const known = points.filter(({ is_expected }) => !is_expected);
  const [first] = known;
  const now = known.at(-1);
  const last = points.filter(({ is_expected }) => is_expected).at(-1);
  if (first === undefined || now === undefined) return 'No confidence data.';
  const parts =
    first === now
      ? [`${percent(now.value)} now`]
      : [`${percent(first.value)} on ${day(first.at)}`, `${percent(now.value)} now`];
  if (last !== undefined) parts.push(`${percent(last.value)} expected on ${day(last.at)} if it is not used`);
  const fades = fades_at === undefined ? '' : ` It reaches the minimum on ${day(fades_at)}.`;
  return `Confidence: ${parts.join(', ')}.${fades}`;
}
