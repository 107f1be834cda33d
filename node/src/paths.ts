/** Paths of the package, the database and the user's folders. */
import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLikeAddress, NEITHER } from './addresses.ts';
import { requireUtf8, UsageError } from './usage.ts';

/** The path of a file of this package. All bundles are in the same folder. */
export function packagedFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The default database in the platform's data folder. */
export function defaultDatabase(env: Readonly<Record<string, string | undefined>>): string {
  return join(limbicFolder(env), 'memory.db');
}

/** The folder of the default database, in the platform's data folder. */
export function limbicFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(env), 'limbic');
}

/** The warning about an existing database whose mode lets other users read it. Windows has no modes. */
export function rightsWarning(db: string): string | undefined {
  const mode = process.platform === 'win32' || !existsSync(db) ? 0 : statSync(db).mode;
  const canOthersRead = (mode & 0o044) !== 0;
  return canOthersRead ? `other users may read this file; to keep it private: chmod 600 '${db}'` : undefined;
}

/** SQLite's name for a database in memory, and the same as a URI. */
const IN_MEMORY = /^(?::memory:$|file::memory:)/i;

/** A variable as shells, PowerShell, VS Code and Windows write it. Windows has names such as `ProgramFiles(x86)`. */
const VARIABLE = /\$\{(?:env:)?([a-z_][\w()]*)\}|\$env:([a-z_]\w*)|\$([a-z_]\w*)|%([a-z_][\w()]*)%/gi;

/**
 * Expands a path from settings that no shell processes, and makes it absolute. Surrounding white space is removed. `~`
 * stands for the home folder at the start; `$NAME`, `${NAME}`, `${env:NAME}`, `$env:NAME` and `%NAME%` stand for
 * variables anywhere. A backslash after one of these separates folders on every system. `named` is the source of the
 * path in errors.
 *
 * @throws UsageError if the path is blank, a variable in it is not set, or it is `:memory:`, a URI, an address, quoted
 *   or `~user`.
 */
export function expandPath(
  path: string,
  named: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const text = path.trim();
  requirePath(text, named);
  const isBelowHome = /^~(?:[/\\]|$)/.test(text);
  const hasBackslashes = /^~\\/.test(text) || new RegExp(`(?:${VARIABLE.source})\\\\`, 'i').test(text);
  const expanded = (hasBackslashes ? text.replaceAll('\\', '/') : text).replace(
    VARIABLE,
    (written, ...names: readonly (string | undefined)[]) => {
      const name = names.slice(0, 4).find((found) => found !== undefined) ?? '';
      const value = name === 'HOME' ? homedir() : env[name];
      if (value !== undefined && value !== '') return value;
      throw new UsageError(
        `${named} contains ${written}, a variable that is not set here: set it or write the whole path, not "${text}"`,
      );
    },
  );
  // A variable may stand for an address.
  requireNoAddress(expanded, named);
  return requireUtf8(resolve(isBelowHome ? `${homedir()}${expanded.slice(1)}` : expanded), named);
}

/** Whether {@link expandPath} would replace a part of an absolute path, or refuse it for one. */
export function hasVariable(path: string): boolean {
  return path.search(VARIABLE) !== -1 || path.includes('${');
}

/** Links that a path may lead through, as in Linux. */
const MAX_LINKS = 40;

/** Resolves links in a path. Its last components need not exist, and neither need the target of a link. */
export function realPath(path: string): string {
  return resolveLinks(path, MAX_LINKS);
}

function resolveLinks(path: string, links: number): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const named = join(resolveLinks(folder, links), basename(path));
    const target = links > 0 ? linkTarget(named) : undefined;
    return target === undefined ? named : resolveLinks(target, links - 1);
  }
}

/** The target of a link, which need not exist; `undefined` if this is not a link. */
function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}

/** Throws a UsageError for a text that is not a path, or that cannot be expanded. */
function requirePath(text: string, named: string): void {
  if (text === '') throw new UsageError(`${named} is blank: give a path`);
  if (IN_MEMORY.test(text))
    throw new UsageError(`${named} needs a file: a database in :memory: is lost when this program ends`);
  if (/^file:/i.test(text)) {
    throw new UsageError(`${named} must be a path, not a URI: write /folder/memory.db or ~/memory.db`);
  }
  // The address may contain a password, so it is not repeated.
  if (/^postgres(?:ql)?:\/\//i.test(text)) {
    throw new UsageError(
      `${named} is the address of a memory in PostgreSQL, which the native server alone opens: run limbic serve with it, or name a file`,
    );
  }
  requireNoAddress(text, named);
  const [mark] = /^["']/.exec(text) ?? [];
  if (mark !== undefined) {
    throw new UsageError(
      `${named} begins with a quotation mark, which no shell removes here: write ${text.replaceAll(mark, '')} without quotation marks`,
    );
  }
  const [user] = /^~[^/\\]+(?=[/\\])/.exec(text) ?? [];
  if (user !== undefined) {
    throw new UsageError(
      `${named} begins with ${user}, and only ~ alone is known, your home folder: write the whole path, not "${text}"`,
    );
  }
  if (text.replace(VARIABLE, ' ').includes('${')) {
    throw new UsageError(
      `${named} contains \${ without the name of a variable and } behind it: write the whole path, not "${text}"`,
    );
  }
}

/** Throws a UsageError for what may contain a password, and does not repeat it. */
function requireNoAddress(text: string, named: string): void {
  if (isLikeAddress(text)) throw new UsageError(`${named} ${NEITHER}`);
}

function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'win32') return env['APPDATA'] || join(homedir(), 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // The XDG specification requires relative paths to be ignored.
  const xdg = env['XDG_DATA_HOME'];
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
}
