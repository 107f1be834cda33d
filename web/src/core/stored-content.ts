/** Whether a memory contains anything that replacing it would delete. */

/** The part of the answer of `explore_stats` that is used. */
export interface Stats {
  readonly file: { readonly bytes: number };
  readonly counts: Readonly<Record<string, number>>;
}

/** A memory always has its initial domain. */
const FIRST_DOMAINS = 1;

/**
 * Whether there are no records of any kind: no entities, memories, reflections or logged searches, and no domain but
 * the first.
 */
export function isWithoutRecords({ counts }: Stats): boolean {
  return Object.entries(counts).every(([kind, count]) => count <= (kind === 'domains' ? FIRST_DOMAINS : 0));
}

/** A larger database is not kept for undo: its copy and the import would not fit in memory together. */
export const MAX_PREVIOUS_BYTES = 512 * 1024 ** 2;
