import { existsSync, realpathSync, statSync } from 'node:fs';
import type { ToolAccess } from '../messages.ts';
import { expandPath } from '../paths.ts';
import { type OpenSource, openFile, reason } from './file-source.ts';
import { openFolder } from './folder-source.ts';
import { ImportBounds, NOT_IMPORTABLE } from './import-bounds.ts';

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
    if (imports === undefined) return open(resolved, new ImportBounds());
    const bounds = new ImportBounds(realpathSync.native(imports.folder));
    // The path that was checked is the one that is opened.
    const real = realpathSync.native(resolved);
    if (!bounds.include(real)) return NOT_IMPORTABLE;
    const source = open(real, bounds);
    return typeof source === 'string' ? NOT_IMPORTABLE : source;
  } catch (error) {
    return imports === undefined ? reason(error) : NOT_IMPORTABLE;
  }
}

function open(resolved: string, bounds: ImportBounds): OpenSource | string {
  const stat = statSync(resolved);
  if (stat.isDirectory()) return openFolder(resolved, bounds);
  return stat.isFile() ? openFile(resolved, bounds) : 'it is not a regular file';
}
