/** The states that Undo and Redo of imports restore. Each is a whole database. */

/** A state of the memory before or after an import. */
export interface ImportState {
  /** Name of the imported file. */
  readonly name: string;
  /** Whether the import replaced the memory rather than adding to it. */
  readonly isReplacement: boolean;
  /** The database before the import, or after it if the import was undone. */
  readonly database: Blob;
}

/** The states to restore; the last of each list is next. */
export interface UndoHistory {
  readonly undo: readonly ImportState[];
  readonly redo: readonly ImportState[];
}

export type Direction = keyof UndoHistory;

export const NO_HISTORY: UndoHistory = { undo: [], redo: [] };

/** Maximum size of all states together: two of the largest databases that an import returns. */
export const MAX_HISTORY_BYTES = 1024 ** 3;

/** A history within the limit, and the replaced memories that exceed it. */
export interface Bounded {
  readonly history: UndoHistory;
  readonly lost: readonly ImportState[];
}

/** Adds the state before an import, and clears the states for Redo. */
export function withImport(history: UndoHistory, state: ImportState, maxBytes = MAX_HISTORY_BYTES): Bounded {
  return bounded({ undo: [...history.undo, state], redo: [] }, maxBytes);
}

/**
 * Moves the last state of one list out and puts the state that it replaces on the other list. `left` is missing if that
 * state is too large to be kept.
 */
export function switched(
  history: UndoHistory,
  direction: Direction,
  left: Blob | undefined,
  maxBytes = MAX_HISTORY_BYTES,
): Bounded {
  const target = history[direction].at(-1);
  if (target === undefined) return { history, lost: [] };
  const other = direction === 'undo' ? 'redo' : 'undo';
  const kept = left === undefined ? [] : [{ ...target, database: left }];
  const next = { ...history, [direction]: history[direction].slice(0, -1), [other]: [...history[other], ...kept] };
  return bounded(next, maxBytes);
}

/**
 * Drops states until the rest is within the limit: first those of imports that added records, oldest first, then those
 * of imports that replaced the memory. The next state of each list is always kept. Undoing an import also undoes later
 * ones whose states were dropped.
 */
function bounded(history: UndoHistory, maxBytes: number): Bounded {
  const all = [...history.undo, ...history.redo];
  const dropped = new Set<ImportState>();
  let bytes = all.reduce((sum, { database }) => sum + database.size, 0);
  for (const isReplacement of [false, true]) {
    for (const state of all) {
      const isNext = state === history.undo.at(-1) || state === history.redo.at(-1);
      if (bytes <= maxBytes) break;
      if (state.isReplacement !== isReplacement || isNext) continue;
      dropped.add(state);
      bytes -= state.database.size;
    }
  }
  const kept = (states: readonly ImportState[]): readonly ImportState[] =>
    states.filter((state) => !dropped.has(state));
  return {
    history: { undo: kept(history.undo), redo: kept(history.redo) },
    lost: [...dropped].filter(({ isReplacement }) => isReplacement),
  };
}
