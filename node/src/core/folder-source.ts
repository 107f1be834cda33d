import { closeSync, type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderFile, type OpenSource, readAt, reason } from './file-source.ts';
import { ImportBounds } from './import-bounds.ts';

/** A folder with more files than this is rejected: it is not an export. */
const MAX_FILES = 10_000;

/** Maximum number of visited entries, including those of other kinds. */
const MAX_ENTRIES = 200_000;

/** Maximum depth of Markdown files; JSON files are read from the folder and its direct subfolders. */
const MAX_DEPTH = 8;

/** A folder of packages, which holds the notes of other people. */
const PACKAGES = 'node_modules';

/**
 * Opens the JSON and Markdown files of a folder as one source. Returns the reason if they cannot be listed.
 *
 * @param bounds where files and subfolders must be; others are left out.
 */
export function openFolder(folder: string, bounds = new ImportBounds()): OpenSource | string {
  const files = listed(folder, bounds);
  if (files === undefined) return `it is a folder with over ${MAX_FILES} JSON and Markdown files`;
  let open: { readonly file: FolderFile; readonly descriptor: number } | undefined;
  const close = (): void => {
    if (open !== undefined) closeSync(open.descriptor);
    open = undefined;
  };
  const descriptorOf = (file: FolderFile): number => {
    if (open?.file === file) return open.descriptor;
    close();
    const descriptor = openNamed(folder, file, bounds);
    open = { file, descriptor };
    return descriptor;
  };
  return {
    size: files.reduce((sum, file) => sum + file.size, 0),
    files,
    readAt: (buffer, offset) => {
      let done = 0;
      let start = 0;
      for (const file of files) {
        const at = offset + done - start;
        start += file.size;
        if (at >= file.size) continue;
        const wanted = Math.min(file.size - at, buffer.length - done);
        const count = readAt(descriptorOf(file), buffer.subarray(done, done + wanted), at);
        done += count;
        if (count < wanted || done === buffer.length) break;
      }
      return done;
    },
    close,
  };
}

/** Returns `undefined` if there are too many. */
function listed(root: string, bounds: ImportBounds): FolderFile[] | undefined {
  const files: FolderFile[] = [];
  const folders = [{ folder: '', depth: 0 }];
  let seen = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, depth } = next;
    const entries = entriesOf(join(root, folder), depth);
    seen += entries.length;
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isFolder(entry, join(root, path), depth)) {
        const isWanted = depth < MAX_DEPTH && !entry.name.startsWith('.') && entry.name !== PACKAGES;
        if (isWanted && bounds.include(join(root, path))) folders.push({ folder: path, depth: depth + 1 });
      } else if (isRead(path, depth) && bounds.include(join(root, path))) {
        const stats = statsOf(join(root, path));
        if (stats?.isFile() ?? false) files.push({ path, size: stats?.size ?? 0 });
      }
    }
    if (files.length > MAX_FILES || seen > MAX_ENTRIES) return undefined;
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Unreadable subfolders are omitted. */
function entriesOf(folder: string, depth: number): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (depth > 1) return [];
    throw error;
  }
}

/** Skips broken links to Markdown. Throws for those to JSON, without which an export is incomplete. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (path.endsWith('.json')) throw error;
    return undefined;
  }
}

/** Links to folders are followed in the first folder only: deeper ones may form cycles. */
function isFolder(entry: Dirent, path: string, depth: number): boolean {
  if (depth > 0) return entry.isDirectory();
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isRead(path: string, depth: number): boolean {
  return /\.(md|markdown)$/i.test(path) || (depth <= 1 && path.endsWith('.json'));
}

function openNamed(folder: string, file: FolderFile, bounds: ImportBounds): number {
  try {
    return bounds.open(join(folder, file.path));
  } catch (error) {
    throw new Error(`${file.path}: ${reason(error)}`, { cause: error });
  }
}
