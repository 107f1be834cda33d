import { formatNames, parseNames } from '../../app/route.ts';

export type Part =
  | 'duplicates'
  | 'splits'
  | 'stale'
  | 'large'
  | 'contradictions'
  | 'code'
  | 'inbox'
  | 'plan'
  | 'quality';

/** The parts of the view, in the order of the tabs. */
export const PARTS: readonly { readonly id: Part; readonly title: string }[] = [
  { id: 'duplicates', title: 'Duplicates' },
  { id: 'splits', title: 'Splits' },
  { id: 'stale', title: 'Stale' },
  { id: 'large', title: 'Large' },
  { id: 'contradictions', title: 'Contradictions' },
  { id: 'code', title: 'Changed code' },
  { id: 'inbox', title: 'Inbox' },
  { id: 'plan', title: 'Memory plan' },
  { id: 'quality', title: 'Search quality' },
];

/** The state of the maintenance view in the address. */
export interface MaintenanceUrlState {
  readonly part: Part;
  /** The selected entity. */
  readonly entity: string | undefined;
  readonly staleDays: number;
  readonly qualityDays: number;
  /** Maintenance actions to plan. */
  readonly actions: readonly Action[];
}

/** The maintenance actions, as the tool names them; deletions first. */
export const ACTIONS = ['expire', 'prune', 'contradictions', 'tiers', 'decay'] as const;
export type Action = (typeof ACTIONS)[number];

const STALE_DAYS = 90;
const QUALITY_DAYS = 30;
/** The tools' maximum number of days. */
const MAX_DAYS = 36_500;

export function parseMaintenanceUrl(params: Readonly<Record<string, string>>): MaintenanceUrlState {
  return {
    part: parsePart(params['part']),
    entity: params['entity'],
    staleDays: days(params['stale'], STALE_DAYS),
    qualityDays: days(params['days'], QUALITY_DAYS),
    actions: parseActions(params['actions']),
  };
}

/** Earlier addresses name the memory plan `maintenance`. */
function parsePart(text: string | undefined): Part {
  if (text === 'maintenance') return 'plan';
  return PARTS.find(({ id }) => id === text)?.id ?? 'duplicates';
}

/** Parses the actions; all of them if the address names no known one. */
function parseActions(text: string | undefined): readonly Action[] {
  const named = new Set(parseNames(text));
  const chosen = ACTIONS.filter((action) => named.has(action));
  return chosen.length === 0 ? ACTIONS : chosen;
}

/** Formats the actions for the address; all of them are the default and omitted. */
export function actionsParam(chosen: readonly string[]): string | undefined {
  return chosen.length === ACTIONS.length
    ? undefined
    : formatNames(ACTIONS.filter((action) => chosen.includes(action)));
}

function days(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text === undefined || text === '' || !Number.isFinite(value)
    ? fallback
    : Math.min(MAX_DAYS, Math.max(0, value));
}
