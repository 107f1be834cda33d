/** Where things lie on this computer. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of this package. Every bundle lies in the same folder. */
export function packaged(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The database that is used when none is named: in the platform's folder for data. */
export function defaultDatabase(env: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(env), 'limbic', 'memory.db');
}

function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'win32') return env['APPDATA'] || join(homedir(), 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // The XDG specification says that a relative path is to be ignored.
  const xdg = env['XDG_DATA_HOME'];
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
}
