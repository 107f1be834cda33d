/** Files that come in and go out. */
import { notify, notifyError } from '../app/notices.tsx';
import { confirm } from '../parts/confirm.tsx';
import { saveBlob } from '../parts/save.ts';
import type { Answer, Source } from '../source/source.ts';
import { createStore } from '../source/store.ts';
import type { ToolError } from '../source/tools.ts';
import { exportName, HEAD_BYTES, isVain, kindOfFile, withRoom } from './file-kind.ts';

/** What the page shows of an import. */
export type Import =
  | { readonly step: 'running'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly step: 'done'; readonly name: string; readonly value: unknown }
  | { readonly step: 'failed'; readonly name: string; readonly problem: ToolError };

export const importing = createStore<Import | undefined>(undefined);

/** Takes a file: a database in place of this one, when the person agrees; anything else is added. */
export async function importFile(source: Source, file: File): Promise<void> {
  if (source.importFile === undefined) {
    notify({ text: 'A server takes no files from this page.', detail: 'Its tool migrate imports a file that lies on the server’s machine.', isError: true });
    return;
  }
  if (importing.get()?.step === 'running') return;
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer().catch(() => new ArrayBuffer(0)));
  if (kindOfFile(head) === 'own-database' && !(await isEmpty(source)) && !(await agreesToReplace(file.name))) return;
  const answer = await run(source.importFile.bind(source), file);
  importing.set(answer.ok ? { step: 'done', name: file.name, value: answer.value } : await failure(file, answer.error));
}

/** Adds a file without a word at the end, for what the page itself brings along. Answers whether that worked. */
export async function importQuietly(source: Source, file: File): Promise<boolean> {
  if (source.importFile === undefined || importing.get()?.step === 'running') return false;
  const answer = await run(source.importFile.bind(source), file);
  const isTaken = answer.ok && !isVain(answer.value);
  if (isTaken) importing.set(undefined);
  else importing.set(answer.ok ? { step: 'done', name: file.name, value: answer.value } : await failure(file, answer.error));
  return isTaken;
}

export async function exportDatabase(source: Source): Promise<void> {
  const answer = await source.exportDatabase();
  if (answer.ok) saveBlob(answer.value, exportName(Date.now()));
  else notifyError(answer.error);
}

export async function isEmpty(source: Source): Promise<boolean> {
  const answer = await source.call('explore_graph', { limit: 1 });
  return answer.ok && answer.value.totals.entities === 0;
}

function run(take: NonNullable<Source['importFile']>, file: File): Promise<Answer<unknown>> {
  importing.set({ step: 'running', name: file.name, done: 0, total: 0 });
  return take(file, (done, total) => importing.set({ step: 'running', name: file.name, done, total }));
}

async function failure(file: File, problem: ToolError): Promise<Import> {
  const room = await navigator.storage.estimate().catch(() => ({}));
  return { step: 'failed', name: file.name, problem: withRoom(problem, file.size, room) };
}

function agreesToReplace(name: string): Promise<boolean> {
  return confirm({
    title: 'Replace the whole memory?',
    text: `“${name}” is a database of Limbic. Its content takes the place of everything that this memory holds. Save the database first if you want to keep it.`,
    action: 'Replace',
    isDanger: true,
  });
}
