import { existsSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { ToolAccess } from '../messages.ts';
import { expandPath } from '../paths.ts';
import { type OpenSource, openFile, reason } from './file-source.ts';
import { openFolder } from './folder-source.ts';

/** One reason for every file that a client over HTTP may not import, so that it cannot find out which files exist. */
export const NOT_IMPORTABLE =
  'clients over HTTP may import only known formats from the folder that the server was started with (--import-dir)';

/**
 * Opens a file or a folder. Returns the reason if it cannot be opened; pipes and devices are rejected.
 *
 * @param imports the folder that it must be in, or `none`; default: it may be anywhere.
 */
export function openSource(path: string, imports?: ToolAccess['imports']): OpenSource | string {
  if (imports === 'none') return NOT_IMPORTABLE;
  try {
    // An existing path is used as it is: a file's name may contain `~` or `$NAME`.
    const resolved = existsSync(path) ? path : expandPath(path, 'it');
    if (imports === undefined) return open(resolved, () => true);
    const folder = realpathSync.native(imports.folder);
    const isInside = (inner: string): boolean => isBelow(folder, realpathSync.native(inner));
    // The path that was checked is the one that is opened.
    const real = realpathSync.native(resolved);
    if (!isBelow(folder, real)) return NOT_IMPORTABLE;
    const source = open(real, isInside);
    return typeof source === 'string' ? NOT_IMPORTABLE : source;
  } catch (error) {
    return imports === undefined ? reason(error) : NOT_IMPORTABLE;
  }
}

/** @param mayRead whether a file that belongs to the source may be read, by its path. */
function open(resolved: string, mayRead: (path: string) => boolean): OpenSource | string {
  const stat = statSync(resolved);
  if (stat.isDirectory()) return openFolder(resolved, mayRead);
  return stat.isFile() ? openFile(resolved, mayRead) : 'it is not a regular file';
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
