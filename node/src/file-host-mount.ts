/** The type of the file system that a folder is on. */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { childEnvironment } from './child-environment.ts';

/**
 * Linux: the number that `statfs` returns. macOS: the type's name in the mount table, since Node gets no name and the
 * numbers are assigned at run time. `undefined` on other platforms, and if it cannot be determined.
 */
export function fileSystem(folder: string): number | string | undefined {
  try {
    if (process.platform === 'linux') return statfsSync(folder).type;
    if (process.platform === 'darwin') {
      return typeInTable(folder, execFileSync('/sbin/mount', { encoding: 'utf8', env: childEnvironment() }));
    }
  } catch {
    // A folder that cannot be read is reported when the database in it is opened.
  }
  return undefined;
}

/**
 * The type of the mount that holds the folder, in lines such as `//ada@server/share on /Volumes/share (smbfs, nodev)`.
 */
export function typeInTable(folder: string, table: string): string | undefined {
  let found = { point: '', type: undefined as string | undefined };
  for (const line of table.split('\n')) {
    const [, point, type] = /^.* on (\/.*) \(([^,)]+)[^()]*\)$/.exec(line) ?? [];
    if (point === undefined || point.length < found.point.length) continue;
    const isInside = point === '/' || folder === point || folder.startsWith(`${point}/`);
    if (isInside) found = { point, type };
  }
  return found.type;
}
