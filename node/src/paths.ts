/** Paths of the package, the database and the user's folders. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './usage.ts';

/** The path of a file of this package. All bundles are in the same folder. */
export function packagedFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The default database in the platform's data folder. */
export function defaultDatabase(env: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(env), 'limbic', 'memory.db');
}

/** SQLite's name of an in-memory database. */
const IN_MEMORY = ':memory:';

/**
 * The absolute path of a database. `named` is the option or variable for error messages.
 *
 * @throws UsageError
 */
export function databasePath(path: string, named: string): string {
  if (path === IN_MEMORY)
    throw new UsageError(`${named} needs a file: a memory in ${IN_MEMORY} would be lost when this program ends`);
  return expandPath(path, named);
}

/**
 * The absolute path of a path that may begin with `~`, `$HOME` or `%APPDATA%`, since no shell expands client settings.
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
      `${named} begins with ${first}, but only ~ (your home folder) is supported: give the whole path instead of "${path}"`,
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
  // The XDG specification requires relative paths to be ignored.
  const xdg = env['XDG_DATA_HOME'];
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
}
