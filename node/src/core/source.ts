import { statSync } from 'node:fs';
import { type OpenSource, openFile, reason, type Source } from './file-source.ts';
import { openFolder } from './folder-source.ts';
import { expandPath } from '../paths.ts';

/** Does something with an open file or folder, or with the reason why it cannot be had. */
export function withSource<T>(path: string, work: (source: Source | string) => T): T {
  const opened = open(path);
  if (typeof opened === 'string') return work(opened);
  try {
    return work(opened);
  } finally {
    opened.close();
  }
}

/** A pipe or a device might never end. */
function open(path: string): OpenSource | string {
  try {
    const place = expandPath(path, 'it');
    const stat = statSync(place);
    if (stat.isDirectory()) return openFolder(place);
    return stat.isFile() ? openFile(place) : 'it is not a regular file';
  } catch (error) {
    return reason(error);
  }
}
