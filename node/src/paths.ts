/** Where things lie on this computer. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './usage.ts';

/** A file of this package. Every bundle lies in the same folder. */
export function packagedFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The database that is used when none is named: in the platform's folder for data. */
export function defaultDatabase(env: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(env), 'limbic', 'memory.db');
}

/** What SQLite takes for a database that is gone with the process. */
const IN_MEMORY = ':memory:';

/**
 * The absolute path of a database. `named` says in errors where it comes from.
 *
 * @throws UsageError
 */
export function databasePath(path: string, named: string): string {
  if (path === IN_MEMORY)
    throw new UsageError(`${named} needs a file: a memory in ${IN_MEMORY} would be gone as soon as this program ends`);
  return expandPath(path, named);
}

/**
 * The absolute path of what people write in settings that no shell reads, with `~`, `$HOME` or `%APPDATA%` at its beginning.
 *
 * @throws UsageError
 */
export function expandPath(path: string, named: string): string {
  const [, first = path, rest = ''] =
    (process.platform === 'win32' ? /^([^/\\]*)[/\\]*(.*)$/s : /^([^/]*)\/*(.*)$/s).exec(path) ?? [];
  const variable = /^(?:\$\{(\w+)\}|%(\w+)%|\$(\w+))$/
    .exec(first)
    ?.slice(1)
    .find((name) => name !== undefined && !/^\d/.test(name));
  if (first === '~' || variable === 'HOME') return resolve(homedir(), rest);
  if (first.startsWith('~') && first !== path) {
    throw new UsageError(
      `${named} begins with ${first}, and only ~ alone is known, your home folder: give the whole path, not "${path}"`,
    );
  }
  if (variable === undefined) return resolve(path);
  const folder = process.env[variable];
  if (folder === undefined || folder === '')
    throw new UsageError(`${named} begins with ${first}, a variable that is not set here: "${path}"`);
  return resolve(folder, rest);
}

function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'win32') return env['APPDATA'] || join(homedir(), 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // The XDG specification says that a relative path is to be ignored.
  const xdg = env['XDG_DATA_HOME'];
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
}
