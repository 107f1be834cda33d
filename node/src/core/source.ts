import { statSync } from 'node:fs';
import { type OpenSource, openFile, reason } from './file-source.ts';
import { openFolder } from './folder-source.ts';
import { expandPath } from '../paths.ts';

/** Opens a file or a folder, or says why it cannot be had. A pipe or a device might never end. */
export function openSource(path: string): OpenSource | string {
  try {
    const place = expandPath(path, 'it');
    const stat = statSync(place);
    if (stat.isDirectory()) return openFolder(place);
    return stat.isFile() ? openFile(place) : 'it is not a regular file';
  } catch (error) {
    return reason(error);
  }
}
