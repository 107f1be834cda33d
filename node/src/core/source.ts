import { existsSync, realpathSync, statSync } from 'node:fs';
import type { ToolAccess } from '../messages.ts';
import { expandPath } from '../paths.ts';
import { type OpenSource, openFile, reason } from './file-source.ts';
import { openFolder } from './folder-source.ts';
import { ImportBounds, NOT_IMPORTABLE } from './import-bounds.ts';
import { mayLookUp } from './unc-path.ts';

/**
 * Opens a file or a folder. Returns the reason if it cannot be opened; pipes and devices are rejected.
 *
 * @param imports the folder that it must be in, or `none`; default: it may be anywhere.
 */
export function openSource(path: string, imports?: ToolAccess['imports']): OpenSource | string {
  if (imports === 'none') return NOT_IMPORTABLE;
  try {
    return imports === undefined ? open(placeOf(path), new ImportBounds()) : openBelow(path, imports.folder);
  } catch (error) {
    return imports === undefined ? reason(error) : NOT_IMPORTABLE;
  }
}

/** Opens a file or a folder for a client that may import from one folder only. */
function openBelow(path: string, folder: string): OpenSource | string {
  const realFolder = realpathSync.native(folder);
  const known = [folder, realFolder];
  if (!mayLookUp(path, known)) return NOT_IMPORTABLE;
  const place = placeOf(path);
  if (!mayLookUp(place, known)) return NOT_IMPORTABLE;
  const bounds = new ImportBounds(realFolder);
  // The path that was checked is the one that is opened.
  const real = realpathSync.native(place);
  if (!bounds.include(real)) return NOT_IMPORTABLE;
  const source = open(real, bounds);
  return typeof source === 'string' ? NOT_IMPORTABLE : source;
}

/** An existing path is used as it is: a file's name may contain `~` or `$NAME`. */
function placeOf(path: string): string {
  return existsSync(path) ? path : expandPath(path, 'it');
}

function open(resolved: string, bounds: ImportBounds): OpenSource | string {
  const stat = statSync(resolved);
  if (stat.isDirectory()) return openFolder(resolved, bounds);
  return stat.isFile() ? openFile(resolved, bounds) : 'it is not a regular file';
}
