import { formatNames, parseNames } from '../../app/route.ts';
import { SERIES, type SeriesId } from './series.ts';
import { formatTime, parseTime, type Span } from './span.ts';

/** The state of the timeline view in the address. */
export interface TimelineUrlState {
  /** The period of the chart; default: all. */
  readonly range: Partial<Span>;
  /** The period of the list below and of the graph. */
  readonly window: Span | undefined;
  readonly hidden: ReadonlySet<SeriesId>;
}

type Params = Readonly<Record<string, string>>;
type ParamChange = Readonly<Record<string, string | undefined>>;

export function parseTimelineUrl(params: Params): TimelineUrlState {
  const [from, to] = [parseTime(params['from']), parseTime(params['to'])];
  const [since, until] = [parseTime(params['since']), parseTime(params['until'])];
  const names = new Set(parseNames(params['hide']));
  return {
    range: from !== undefined && to !== undefined && to <= from ? {} : { from, to },
    window: since === undefined || until === undefined || until <= since ? undefined : { from: since, to: until },
    hidden: new Set(SERIES.map(({ id }) => id).filter((id) => names.has(id))),
  };
}

export function windowParams(window: Span | undefined): ParamChange {
  return { since: textOf(window?.from), until: textOf(window?.to) };
}

export function rangeParams(range: Span | undefined): ParamChange {
  return { from: textOf(range?.from), to: textOf(range?.to) };
}

export function hiddenParams(hidden: Iterable<SeriesId>): ParamChange {
  const names = formatNames([...hidden].sort());
  return { hide: names === '' ? undefined : names };
}

function textOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : formatTime(time);
}
