import { counted, megabytes } from '../components/format.ts';
import type { ToolError } from '../source/tools.ts';

const IMPORTED = '_imported';
/** Kinds of records in the order in which a report lists them; others follow. */
const KINDS = ['entities', 'observations', 'relations', 'reflections', 'memories', 'domains', 'links'];

/** Describes the result of an import, from its answer: `306 entities, 654 relations; 2 records skipped`. */
export function importedText(value: unknown): string {
  const found = countsOf(value);
  const added = [...found]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([kind, count]) => counted(count, singular(kind), kind.replaceAll('_', ' ')));
  const skipped =
    typeof value === 'object' && value !== null && 'skipped' in value && typeof value.skipped === 'number'
      ? value.skipped
      : 0;
  return `${added.length === 0 ? 'nothing new' : added.join(', ')}${skipped === 0 ? '' : `; ${counted(skipped, 'record')} skipped`}`;
}

/** The numbers of new records by kind: every field of the answer that ends in `_imported`. */
function countsOf(value: unknown): Map<string, number> {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(
    fields.flatMap(([key, count]) =>
      key.endsWith(IMPORTED) && typeof count === 'number' ? [[key.slice(0, -IMPORTED.length), count]] : [],
    ),
  );
}

function rankOf(kind: string): number {
  const rank = KINDS.indexOf(kind);
  return rank === -1 ? KINDS.length : rank;
}

function singular(kind: string): string {
  return kind.replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, '');
}

/** The number of failed records; `problems` lists the first of them. */
export function failuresOf(value: unknown): number {
  const errors = typeof value === 'object' && value !== null && 'errors' in value ? value.errors : 0;
  return typeof errors === 'number' ? errors : 0;
}

/** Whether nothing of a file could be imported. */
export function isNothingImported(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || failuresOf(value) === 0) return false;
  return ![...countsOf(value).values()].some((count) => count > 0);
}

/** Whether a file replaced the memory rather than adding to it. */
export function isReplacement(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'replaced' in value;
}

/** The problems of an import as reported by the core. */
export function problemsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('problems' in value) || !Array.isArray(value.problems))
    return [];
  return value.problems.map((problem: unknown) => (typeof problem === 'string' ? problem : JSON.stringify(problem)));
}

const STORAGE_ERRORS = new Set(['io_error', 'disk_full']);
/** During an import the content is stored twice: in the pages and in the journal. */
const COPIES = 2;

/** Adds a hint if an import failed for lack of storage. */
export function withFreeSpace(
  problem: ToolError,
  fileBytes: number,
  room: { readonly quota?: number; readonly usage?: number },
): ToolError {
  const { quota, usage = 0 } = room;
  if (!STORAGE_ERRORS.has(problem.code) || quota === undefined || quota - usage > fileBytes * COPIES) return problem;
  const hint = `The browser allows this page ${megabytes(quota)}, of which ${megabytes(Math.max(0, quota - usage))} are free. Free disk space, or delete the data of other sites.`;
  return { ...problem, hint };
}

/** A file name that sorts by day. */
export function exportName(nowMillis: number): string {
  return `limbic-${new Date(nowMillis).toISOString().slice(0, 10)}.db`;
}
