/**
 * Assigns colours to values such as entity types, the same in every view: the most important values share one palette.
 *
 * Any two colours of a palette are distinguishable with red-green colour blindness (see the test).
 */
import { createStore, type Store } from '../source/store.ts';

export const PALETTES = {
  light: [
    '#1a3db2',
    '#1aa7a1',
    '#6c4302',
    '#8c7aff',
    '#7ca135',
    '#7c2269',
    '#3c72b0',
    '#975a5c',
    '#6e08fd',
    '#4c120f',
    '#4d034f',
  ],
  dark: [
    '#767de8',
    '#6affbe',
    '#bd6703',
    '#97a6f3',
    '#f4bf55',
    '#964c9d',
    '#79e6ff',
    '#d2a999',
    '#f9f333',
    '#e68b03',
    '#a24f57',
  ],
} as const;
/** The colour of values beyond the palette. */
const OTHERS = { light: '#7b8494', dark: '#7d8696' } as const;

type Shown = 'light' | 'dark';

/** The palette index of each value. A value keeps its index until the page is closed. */
export interface ValueColors extends Store<ReadonlyMap<string, number>> {
  /** Assigns the next indexes to new values. */
  add(words: readonly string[]): void;
  colorOf(word: string, shown: Shown): string;
}

/** Types of entities: those of the largest entities first, then the most frequent. */
export const typeColors = createColors();
/** Statuses of entities, most frequent first. */
export const statusColors = createColors();
/** Categories of memories. Memories are drawn as squares, so they may have the colours of types. */
export const categoryColors = createColors(['fact', 'decision', 'preference', 'convention']);
/** Statuses of memories. */
export const memoryStatusColors = createColors(['current', 'ended', 'expired', 'contradicted']);

/** Kinds of symbols of source code. */
export const symbolColors = createColors([
  'function',
  'method',
  'class',
  'module',
  'constant',
  'interface',
  'struct',
  'enum',
  'trait',
  'type',
]);

/** The colour of a type of entities. */
export function colorOf(type: string, shown: Shown): string {
  return typeColors.colorOf(type, shown);
}

/** The colour of the n-th group. */
export function colorAt(index: number, shown: Shown): string {
  return PALETTES[shown][index] ?? OTHERS[shown];
}

function createColors(words: readonly string[] = []): ValueColors {
  const { get, set, subscribe } = createStore<ReadonlyMap<string, number>>(
    new Map(words.map((word, index) => [word, index])),
  );
  return {
    get,
    subscribe,
    add(words) {
      const fresh = words.filter((word) => !get().has(word));
      if (fresh.length === 0) return;
      const next = new Map(get());
      for (const word of fresh) next.set(word, next.size);
      set(next);
    },
    colorOf: (word, shown) => colorAt(get().get(word) ?? Number.POSITIVE_INFINITY, shown),
  };
}
