/** The command lines that `hook install` writes, and the program that they start. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { textOf } from 'limbic-shell/failure.ts';
import type { HookInstall } from './hook-options.ts';
import { log } from './log.ts';
import { writeDurably } from './new-database.ts';
import { limbicFolder, packagedFile, realPath } from './paths.ts';
import { shellWord } from './shell-words.ts';

declare const LIMBIC_VERSION: string;

/** The program that runs a hook in its own process if no server answers. */
const PROGRAM = 'hook.cjs';
/** The program that starts npx if no server answers: it needs no other file of the package. */
const PROGRAM_BY_NPX = 'hook-by-npx.cjs';
/** The folder in which npx installs packages. It removes them at any time. */
const NPX_FOLDER = /[\\/]_npx[\\/]/;
/** Maximum number of links that lead to a program, as on Linux. */
const MAX_LINKS = 40;
/** The bits of a mode by which the group and others may write. */
const OTHERS_WRITE = 0o022;
/** The bit by which everybody may write, and the one by which they still cannot replace the files of others. */
const EVERYBODY_WRITES = 0o002;
const STICKY = 0o1000;

const NOT_OWN = 'belongs to another user, or others may write to it';

/** How the hooks of the settings are started. */
export interface HookStart {
  /** The words of the command line before the name of the hook. */
  readonly words: string;
  /** The path that the program is copied to, where npx installed this package. */
  readonly copy?: string;
}

/**
 * How hooks are started: by the program of this package, or by a copy of the one that needs no package if npx installed
 * this one.
 *
 * @param main the path by which this process was started.
 * @throws UsageError if a path of an installed package cannot be quoted.
 */
export function hookStart(main: string): HookStart {
  if (main !== '' && !NPX_FOLDER.test(main)) {
    const remedy = ': install it in another folder, or run it by npx';
    return { words: programWords(installedProgram(main), 'the path of limbic-memory', remedy) };
  }
  try {
    const copy = copyPath();
    requireOwnFolder(dirname(copy));
    return { words: programWords(copy, 'the path of the data folder'), copy };
  } catch (error) {
    return startByNpx(error);
  }
}

/** Copies the program, if npx installed it. Returns how hooks are started, which is npx if it cannot be copied. */
export function withCopy(start: HookStart): HookStart {
  try {
    if (start.copy !== undefined) copyProgram(start.copy);
    return start;
  } catch (error) {
    return startByNpx(error);
  }
}

/** Whether a copy of the program that a line of the settings starts is missing, or not the one of this package. */
export function startsOldCopy(line: string): boolean {
  const copy = copyPath();
  if (!line.includes(copy)) return false;
  return !existsSync(copy) || !readFileSync(copy).equals(readFileSync(packagedFile(PROGRAM_BY_NPX)));
}

/** Where the copy is: the same for all versions, so that the settings need no change when it is replaced. */
export function copyPath(): string {
  return join(limbicFolder(process.env), PROGRAM);
}

/** The command line of each hook. Throws a UsageError if the database or the user cannot be quoted. */
export function hookCommand({ words }: HookStart, { db, user }: HookInstall): (hook: string) => string {
  const ofDatabase = db === undefined ? '' : ` --db ${shellWord({ text: db, kind: 'path', named: '--db' })}`;
  const ofUser = user === undefined ? '' : ` --user ${shellWord({ text: user, kind: 'text', named: '--user' })}`;
  return (hook) => `${words} ${hook}${ofDatabase}${ofUser}`;
}

/** Whether a command line runs this hook of this program, whatever starts it: `main.js`, `hook.cjs`, a copy or npx. */
export function runsHook(line: string, hook: string, { words }: HookStart): boolean {
  if (line.startsWith(`${words} ${hook}`)) return true;
  if (/limbic|main\.js/.test(line) && line.includes(`hook ${hook}`)) return true;
  const program = /[\\/]limbic(?:-memory)?[\\/](?:dist[\\/]|plugin[\\/]hooks[\\/])?hook\.cjs["']? (\S+)/;
  return program.exec(line)?.[1] === hook;
}

function startByNpx(reason: unknown): HookStart {
  log(
    `the program of the hooks cannot be kept (${textOf(reason)}), so npx starts them, which takes many times as long: ` +
      'install the package instead (npm i -g limbic-memory)',
  );
  return { words: `npx -y limbic-memory@${LIMBIC_VERSION} hook` };
}

function programWords(program: string, named: string, remedy?: string): string {
  const node = shellWord({
    text: process.execPath,
    kind: 'path',
    named: 'the path of Node',
    remedy: ': install Node in another folder',
  });
  return `${node} ${shellWord({ text: program, kind: 'path', named, ...(remedy === undefined ? {} : { remedy }) })}`;
}

/**
 * The path of the program of hooks beside that of this process. Links to folders are kept, because they often lead to
 * the package after an update as well.
 */
function installedProgram(main: string): string {
  const own = packagedFile(PROGRAM);
  let at = resolve(main);
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const beside = join(dirname(at), PROGRAM);
    if (realPath(beside) === realPath(own)) return beside;
    try {
      at = resolve(dirname(at), readlinkSync(at));
    } catch {
      return own;
    }
  }
  return own;
}

/**
 * Copies the program that needs no other file of the package.
 *
 * @throws Error if it cannot be written, or others could replace it: each hook runs what is there.
 */
export function copyProgram(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireOwnFolder(folder);
  const beside = `${path}.${randomUUID()}`;
  try {
    writeDurably(beside, readFileSync(packagedFile(PROGRAM_BY_NPX)));
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/**
 * Checks a folder, if it exists, and those that it is in. On Windows it is in the profile, which only its user may
 * change.
 *
 * @throws Error if another user could write to it, or put another one in its place.
 */
function requireOwnFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const existing = existsSync(folder);
  const own = process.getuid?.();
  let at = existing ? realpathSync(folder) : dirname(folder);
  if (existing) {
    const { uid, mode } = statSync(at);
    if (uid !== own || (mode & OTHERS_WRITE) !== 0) throw new Error(`${folder} ${NOT_OWN}`);
  }
  while (!existsSync(at)) at = dirname(at);
  for (at = realpathSync(at); ; at = dirname(at)) {
    const { uid, mode } = statSync(at);
    const isOpen = (mode & EVERYBODY_WRITES) !== 0 && (mode & STICKY) === 0;
    if ((uid !== own && uid !== 0) || isOpen) throw new Error(`${at} ${NOT_OWN}`);
    if (at === dirname(at)) return;
  }
}
