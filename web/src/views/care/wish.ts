export type Part = 'duplicates' | 'splits' | 'stale' | 'large' | 'quality';

/** In the order of the tabs. */
export const PARTS: readonly { readonly id: Part; readonly title: string }[] = [
  { id: 'duplicates', title: 'Duplicates' },
  { id: 'splits', title: 'Splits' },
  { id: 'stale', title: 'Stale' },
  { id: 'large', title: 'Large' },
  { id: 'quality', title: 'Search quality' },
];

/** What the address asks the workbench to show. */
export interface CareWish {
  readonly part: Part;
  /** The entity that is worked on. */
  readonly entity: string | undefined;
  readonly staleDays: number;
  readonly qualityDays: number;
}

const STALE_DAYS = 90;
const QUALITY_DAYS = 30;
/** As many days as the tools take. */
const DAYS_MAX = 36_500;

export function parseCareWish(params: Readonly<Record<string, string>>): CareWish {
  return {
    part: PARTS.find(({ id }) => id === params['part'])?.id ?? 'duplicates',
    entity: params['entity'],
    staleDays: days(params['stale'], STALE_DAYS),
    qualityDays: days(params['days'], QUALITY_DAYS),
  };
}

function days(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text === undefined || text === '' || !Number.isFinite(value) ? fallback : Math.min(DAYS_MAX, Math.max(0, value));
}
