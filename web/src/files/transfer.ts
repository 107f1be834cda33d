/** Import and export of the memory as a whole. */
import { notify, notifyError } from '../app/toasts.tsx';
import { isWithoutRecords, MAX_PREVIOUS_BYTES } from '../core/stored-content.ts';
import { confirm } from '../components/confirm.tsx';
import { saveBlob } from '../components/save.ts';
import { forgetSearches } from '../source/kept-searches.ts';
import type { ImportAnswer, ImportOptions, Source } from '../source/source.ts';
import { createStore } from '../source/store.ts';
import type { ToolError } from '../source/tools.ts';
import { databaseOf, type Grouped, groupFiles } from './file-groups.ts';
import { exportName, isReplacement, isNothingImported, withFreeSpace } from './file-kind.ts';
import { type Bounded, type Direction, NO_HISTORY, switched, withImport } from './undo-history.ts';

/** The state of the import dialog. */
export type Import =
  | { readonly step: 'running'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly step: 'ended'; readonly outcomes: readonly Outcome[]; readonly canUndo: boolean };

/** The outcome for one file. */
export type Outcome = { readonly file: File } & ({ readonly value: unknown } | { readonly problem: ToolError });

export const importing = createStore<Import | undefined>(undefined);

/** The states for Undo and Redo of imports, kept as long as the page is open. */
export const importHistory = createStore(NO_HISTORY);

/** Whether an import is running or is waiting for the confirmation that it may replace the memory. */
let isBusy = false;

/** The labels of the two directions. */
export const LABELS: Readonly<Record<Direction, string>> = { undo: 'Undo', redo: 'Redo' };

interface Choice {
  /** Whether to import databases in WAL mode without their `-wal` file. */
  readonly withoutWal?: boolean;
}

/** Imports files one after the other. Asks before a database replaces a memory that is not empty. */
export async function importFiles(
  source: Source,
  files: readonly File[],
  { withoutWal = false }: Choice = {},
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  if (source.importFile === undefined) {
    notify({
      text: 'Files cannot be imported into a server from this page.',
      detail: 'Call the tool migrate: it imports a file of the folder that the server was started with (--import-dir).',
      isError: true,
    });
    return;
  }
  if (isBusy) {
    notifyBusy(`“${first.name}” was not imported.`);
    return;
  }
  await exclusively(() => importGroups(source, groupFiles(files), withoutWal));
}

async function importGroups(source: Source, { groups, orphans }: Grouped, withoutWal: boolean): Promise<void> {
  const outcomes: Outcome[] = orphans.map((file) => ({ file, problem: missingDatabase(file.name) }));
  const imported: ImportAnswer[] = [];
  for (const group of groups) {
    const beside = { wal: group.wal ?? (withoutWal ? new Blob([]) : undefined), journal: group.journal };
    const answer = await runConfirmed(source, group.file, beside);
    if (answer === undefined) continue;
    if (answer.ok && !isNothingImported(answer.value)) imported.push(answer);
    outcomes.push(await outcomeOf(group.file, answer));
  }
  // One undo reverts all of them.
  const previous = imported[0]?.previous;
  keep(groups.length === 1 ? (groups[0]?.file.name ?? '') : `${groups.length} files`, imported);
  importing.set(outcomes.length === 0 ? undefined : { step: 'ended', outcomes, canUndo: previous !== undefined });
}

/** Returns `undefined` if the user does not confirm the replacement. */
async function runConfirmed(source: Source, file: File, options: ImportOptions): Promise<ImportAnswer | undefined> {
  const answer = await run(source, file, options);
  if (answer.ok || answer.error.code !== 'would_replace') return answer;
  importing.set(undefined);
  return (await confirmReplace(answer.error)) ? run(source, file, { ...options, replaces: true }) : undefined;
}

/** Imports a file of the page and shows a dialog only for errors. Returns whether it succeeded. */
export async function importSilently(source: Source, file: File, name: string): Promise<boolean> {
  if (source.importFile === undefined) return false;
  if (isBusy) {
    notifyBusy(`Not imported: ${name}.`);
    return false;
  }
  const answer = await exclusively(() => run(source, file));
  const isImported = answer.ok && !isNothingImported(answer.value);
  if (isImported) keep(name, [answer]);
  importing.set(isImported ? undefined : { step: 'ended', outcomes: [await outcomeOf(file, answer)], canUndo: false });
  return isImported;
}

/**
 * Undoes the last import, or redoes the last undone one. Asks for confirmation only if the current state cannot be
 * kept.
 */
export async function switchState(source: Source, direction: Direction): Promise<void> {
  return (await canKeep(source)) ? switchTo(source, direction) : confirmSwitchState(source, direction);
}

/** As `switchState`, some time after the import: later changes are reverted as well, so it asks for confirmation. */
export async function confirmSwitchState(source: Source, direction: Direction): Promise<void> {
  const target = importHistory.get()[direction].at(-1);
  if (target === undefined) return;
  const action = LABELS[direction];
  const after = (await canKeep(source))
    ? 'The same menu restores them until the page is closed.'
    : 'They cannot be restored: this memory is too large to be kept. Export the database first if you need it.';
  const isAgreed = await confirm({
    title: `${action} the import of ${target.name}?`,
    text: `The whole memory returns to its state ${direction === 'redo' ? 'after' : 'before'} the import. Changes made since then are undone as well. ${after}`,
    action,
    isDanger: true,
  });
  if (isAgreed) await switchTo(source, direction);
}

/** Restores the next state of a list. The current state is kept on the other list. */
async function switchTo(source: Source, direction: Direction): Promise<void> {
  const target = importHistory.get()[direction].at(-1);
  if (target === undefined) return;
  if (isBusy) {
    notifyBusy(`The import of ${target.name} was not ${direction === 'undo' ? 'undone' : 'redone'}.`);
    return;
  }
  const file = new File([target.database], target.name);
  const answer = await exclusively(() => run(source, file, { replaces: true }));
  if (!answer.ok) {
    importing.set({ step: 'ended', outcomes: [await outcomeOf(file, answer)], canUndo: false });
    return;
  }
  importing.set(undefined);
  remember(switched(importHistory.get(), direction, answer.previous));
  const back = direction === 'undo' ? 'redo' : 'undo';
  notify({
    text: `${direction === 'undo' ? 'Undone' : 'Redone'}: import of ${target.name}`,
    ...(answer.previous !== undefined && {
      action: { label: LABELS[back], run: () => void switchState(source, back) },
    }),
  });
}

/** Whether the memory is small enough to be kept for undo. */
async function canKeep(source: Source): Promise<boolean> {
  const answer = await source.call('explore_stats', {});
  return !answer.ok || answer.value.file.bytes <= MAX_PREVIOUS_BYTES;
}

export async function exportDatabase(source: Source): Promise<void> {
  const answer = await source.exportDatabase();
  if (answer.ok) saveBlob(answer.value, exportName(Date.now()));
  else notifyError(answer.error);
}

/** Whether the memory contains no records of any kind. A memory that cannot be read counts as not empty. */
export async function isEmpty(source: Source): Promise<boolean> {
  const answer = await source.call('explore_stats', {});
  return answer.ok && isWithoutRecords(answer.value);
}

function notifyBusy(text: string): void {
  notify({ text, detail: 'Another import is running. Try again when it has finished.', isError: true });
}

/** Runs an import exclusively. */
async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  isBusy = true;
  try {
    return await work();
  } finally {
    isBusy = false;
  }
}

async function run(source: Source, file: File, options: ImportOptions = {}): Promise<ImportAnswer> {
  const progress = (done: number, total: number): void =>
    importing.set({ step: 'running', name: file.name, done, total });
  progress(0, 0);
  const answer = await source.importFile?.(file, { ...options, keepsPrevious: true, progress });
  if (answer === undefined) throw new Error('this source cannot import files');
  if (answer.ok) forgetSearches();
  return answer;
}

/** Keeps the memory as it was before these imports for undo, unless it is too large; earlier states are kept. */
function keep(name: string, taken: readonly ImportAnswer[]): void {
  const database = taken[0]?.previous;
  if (database === undefined) return;
  const replaces = taken.some((answer) => answer.ok && isReplacement(answer.value));
  remember(withImport(importHistory.get(), { name, isReplacement: replaces, database }));
}

/** Notifies the user that the memory was replaced, and offers to save the previous one. */
function remember({ history, lost }: Bounded): void {
  importHistory.set(history);
  for (const { name, database } of lost) {
    notify({
      text: `The memory that ${name} replaced is no longer kept for Undo.`,
      detail: 'The states kept for Undo have reached their limit of 1 GiB.',
      stays: true,
      action: { label: 'Save', run: () => saveBlob(database, exportName(Date.now())) },
    });
  }
}

function missingDatabase(name: string): ToolError {
  const database = databaseOf(name);
  return {
    error: `“${name}” belongs to the database “${database}” and cannot be imported on its own.`,
    code: 'database_missing',
    hint: `Select or drop “${database}” and “${name}” together.`,
  };
}

async function outcomeOf(file: File, answer: ImportAnswer): Promise<Outcome> {
  if (answer.ok) return { file, value: answer.value };
  // Insecure contexts have no storage.
  const room = (await navigator.storage?.estimate().catch(() => undefined)) ?? {};
  return { file, problem: withFreeSpace(answer.error, file.size, room) };
}

function confirmReplace({ error, hint = '' }: ToolError): Promise<boolean> {
  return confirm({ title: 'Replace the whole memory?', text: `${error} ${hint}`, action: 'Replace', isDanger: true });
}
