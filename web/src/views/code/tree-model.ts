/** The tree of a project's folders and files as rows, and its keyboard actions. */
import type { Output } from '../../source/tools.ts';

export type Listing = Output<'explore_code'>;

interface RowBase {
  readonly name: string;
  readonly path: string;
  /** From 1. */
  readonly level: number;
  readonly bytes: number;
  readonly language: string;
}

export interface FolderTreeRow extends RowBase {
  readonly kind: 'folder';
  readonly files: number;
  readonly isExpanded: boolean;
}

export interface FileTreeRow extends RowBase {
  readonly kind: 'file';
  /** The reason why the file was skipped. */
  readonly skipped: string | undefined;
}

/** A number of files that a listing leaves out. */
export interface OmittedTreeRow {
  readonly kind: 'omitted';
  readonly path: string;
  readonly level: number;
  readonly count: number;
}

export type TreeRow = FolderTreeRow | FileTreeRow | OmittedTreeRow;

/** The rows of the listed folders: below each expanded folder its contents, folders first. */
export function treeRows(listings: ReadonlyMap<string, Listing>, expanded: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: string, level: number): void => {
    const listing = listings.get(folder);
    if (listing === undefined) return;
    for (const { name, path, bytes, language, files } of listing.folders) {
      const isExpanded = expanded.has(path);
      rows.push({ kind: 'folder', name, path, level, bytes, language, files, isExpanded });
      if (isExpanded) add(path, level + 1);
    }
    for (const { name, path, bytes, language, skipped } of listing.files)
      rows.push({ kind: 'file', name, path, level, bytes, language, skipped });
    if (listing.omitted_files > 0)
      rows.push({ kind: 'omitted', path: `${folder}/`, level, count: listing.omitted_files });
  };
  add('', 1);
  return rows;
}

/** The folders that contain a path, outermost first, without the project's own. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The action of a key in the tree. */
export type TreeAction =
  | { readonly type: 'focus'; readonly index: number }
  | { readonly type: 'toggle'; readonly path: string }
  | { readonly type: 'open'; readonly path: string };

const PAGE_ROWS = 15;

/** The effect of a key while the row `index` has the focus; `undefined` if the key has none. */
export function treeKey(rows: readonly TreeRow[], index: number, key: string): TreeAction | undefined {
  const row = rows[index];
  const focus = (wanted: number): TreeAction => ({
    type: 'focus',
    index: Math.max(0, Math.min(rows.length - 1, wanted)),
  });
  switch (key) {
    case 'ArrowDown':
      return focus(index + 1);
    case 'ArrowUp':
      return focus(index - 1);
    case 'PageDown':
      return focus(index + PAGE_ROWS);
    case 'PageUp':
      return focus(index - PAGE_ROWS);
    case 'Home':
      return focus(0);
    case 'End':
      return focus(rows.length - 1);
    case 'ArrowRight':
      if (row?.kind !== 'folder') return undefined;
      return row.isExpanded ? focus(index + 1) : { type: 'toggle', path: row.path };
    case 'ArrowLeft': {
      if (row === undefined) return undefined;
      if (row.kind === 'folder' && row.isExpanded) return { type: 'toggle', path: row.path };
      for (let above = index - 1; above >= 0; above -= 1) {
        if ((rows[above]?.level ?? 0) < row.level) return focus(above);
      }
      return undefined;
    }
    case 'Enter':
    case ' ':
      if (row === undefined || row.kind === 'omitted') return undefined;
      return { type: row.kind === 'folder' ? 'toggle' : 'open', path: row.path };
    default:
      return undefined;
  }
}
