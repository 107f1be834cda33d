import { existsSync, statSync } from 'node:fs';
import { type OpenSource, openFile, reason } from './file-source.ts';
import { openFolder } from './folder-source.ts';
import { expandPath } from '../paths.ts';

/** Opens a file or a folder. Returns the reason if it cannot be opened; pipes and devices are rejected. */
export function openSource(path: string): OpenSource | string {
  try {
    // An existing path is used as it is: a file's name may contain `~` or `$NAME`.
    const place = existsSync(path) ? path : expandPath(path, 'it');
    const stat = statSync(place);
    if (stat.isDirectory()) return openFolder(place);
    return stat.isFile() ? openFile(place) : 'it is not a regular file';
  } catch (error) {
    return reason(error);
  }
}
