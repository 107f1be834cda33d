/** The state of the search view in the address. */
import { CATEGORIES } from '../../components/memory-words.ts';
import type { Input } from '../../source/tools.ts';

export type SearchTarget = 'entities' | 'memories';
export type Recall = Input<'memory_recall'>;

/** The kinds of records that can be searched. */
export const SEARCH_TARGETS: readonly { readonly id: SearchTarget; readonly title: string }[] = [
  { id: 'entities', title: 'Entities' },
  { id: 'memories', title: 'Memories' },
];
export const TARGET_PARAM = 'of';

const MAX_RESULTS = 20;
/** Texts of memories may be long; the page has room. */
const MAX_TOKENS = 400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Params = Readonly<Record<string, string>>;

export function searchTarget(params: Params): SearchTarget {
  return params[TARGET_PARAM] === 'memories' ? 'memories' : 'entities';
}

/** The filters of a memory search. */
export interface MemorySearchUrlState {
  readonly category: Recall['category'];
  readonly user: string | undefined;
  /** The day at whose end memories must be valid; default: now. */
  readonly day: string | undefined;
  /** Whether to include memories that have ended, expired or are hidden by a contradiction. */
  readonly showsPast: boolean;
}

export function parseMemorySearchUrl(params: Params): MemorySearchUrlState {
  const { category, user, on, past } = params;
  return {
    category: CATEGORIES.find((word) => word === category),
    user: user === '' ? undefined : user,
    day: on !== undefined && DAY.test(on) ? on : undefined,
    showsPast: past === '1',
  };
}

export function isFiltered({ category, user, day, showsPast }: MemorySearchUrlState): boolean {
  return category !== undefined || user !== undefined || day !== undefined || showsPast;
}

/** The input of `memory_recall`. Views record no accesses, so `touch` is false. */
export function recallInput(
  question: string,
  { category, user, day, showsPast }: MemorySearchUrlState,
  domain: string | undefined,
): Recall {
  return {
    query: question === '' ? undefined : question,
    category,
    user_id: user,
    domain: domain ?? '*',
    as_of: day === undefined ? undefined : `${day}T23:59:59Z`,
    include_expired: showsPast,
    include_contradicted: showsPast,
    limit: MAX_RESULTS,
    max_tokens: MAX_TOKENS,
    explain: true,
    touch: false,
  };
}
