/** Folders of source code that a person opens or drops. */
import type { OpenedFolder, SourceFile } from '../source/page-code.ts';

/** Folders that are never a project's source, and may hold very many files. The core leaves them out, too. */
const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules', '__pycache__']);

/** The name of a project of dropped files that lie in no dropped folder. */
const DROPPED = 'dropped files';

/** A folder to which the browser grants access; not every browser has them. */
interface FolderHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<FolderHandle | FileHandle>;
}

interface FileHandle {
  readonly kind: 'file';
  readonly name: string;
  getFile(): Promise<File>;
}

interface WithPicker {
  showDirectoryPicker?: (options: { readonly mode: 'read' }) => Promise<FolderHandle>;
}

/** Asks for a folder; `undefined` if the person cancels. */
export async function pickFolder(): Promise<OpenedFolder | undefined> {
  const { showDirectoryPicker } = globalThis as WithPicker;
  if (showDirectoryPicker === undefined) return pickByInput();
  try {
    const handle = await showDirectoryPicker.call(globalThis, { mode: 'read' });
    return { name: handle.name, files: () => filesOfHandle(handle, '') };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

function pickByInput(): Promise<OpenedFolder | undefined> {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve(folderOfList([...(input.files ?? [])])));
    input.addEventListener('cancel', () => resolve(undefined));
    input.click();
  });
}

/** The folder of a list of files whose relative paths begin with its name. */
export function folderOfList(files: readonly File[]): OpenedFolder | undefined {
  const found = files.map((file) => ({ path: file.webkitRelativePath, file }));
  const [first] = found;
  if (first === undefined) return undefined;
  const name = first.path.slice(0, first.path.indexOf('/'));
  const inside = found.map(({ path, file }) => ({ path: path.slice(name.length + 1), file }));
  const kept = inside.filter(({ path }) => !path.split('/').some((part) => NEVER.has(part)));
  return { name, files: async () => kept };
}

async function filesOfHandle(folder: FolderHandle, prefix: string): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for await (const entry of folder.values()) {
    if (NEVER.has(entry.name)) continue;
    const path = prefix + entry.name;
    if (entry.kind === 'directory') found.push(...(await filesOfHandle(entry, `${path}/`)));
    else found.push({ path, file: await entry.getFile() });
  }
  return found;
}

/**
 * The dropped folders, and one of the files that lie in none, each with a name of its own. Call it before the event of
 * the drop is over.
 */
export function droppedFolders(data: DataTransfer): readonly OpenedFolder[] {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = [...data.files].filter(
    (file) => !entries.some(({ name, isDirectory }) => isDirectory && name === file.name),
  );
  const loose = files.map((file) => ({ path: file.name, file }));
  return withOwnNames([
    ...entries
      .filter((entry): entry is FileSystemDirectoryEntry => entry.isDirectory)
      .map((entry) => ({ name: entry.name, files: () => filesOfEntry(entry, '') })),
    ...(loose.length > 0 ? [{ name: DROPPED, files: async () => loose }] : []),
  ]);
}

/** Numbers the folders that have the name of an earlier one, which they would replace: `src`, `src (2)`. */
function withOwnNames(folders: readonly OpenedFolder[]): readonly OpenedFolder[] {
  const names = new Set(folders.map(({ name }) => name));
  const seen = new Set<string>();
  return folders.map((folder) => {
    let { name } = folder;
    for (let number = 2; seen.has(name) || (name !== folder.name && names.has(name)); number += 1) {
      name = `${folder.name} (${number})`;
    }
    seen.add(name);
    return { ...folder, name };
  });
}

/** Whether a folder is among what is dropped. */
export function hasFolder(data: DataTransfer): boolean {
  return [...data.items].some((item) => item.webkitGetAsEntry()?.isDirectory === true);
}

async function filesOfEntry(folder: FileSystemDirectoryEntry, prefix: string): Promise<SourceFile[]> {
  const reader = folder.createReader();
  const found: SourceFile[] = [];
  // A reader gives some entries at a time, and none at the end.
  for (let entries = await someOf(reader); entries.length > 0; entries = await someOf(reader)) {
    for (const entry of entries) {
      if (NEVER.has(entry.name)) continue;
      const path = prefix + entry.name;
      if (entry.isDirectory) found.push(...(await filesOfEntry(entry as FileSystemDirectoryEntry, `${path}/`)));
      else found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    }
  }
  return found;
}

function someOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
