/** The project that a folder belongs to. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from './paths.ts';

/** The file that names the domain of a project. */
const SETTINGS = '.limbic.toml';
/** A line such as `domain = "atlas"`. */
const DOMAIN = /^[ \t]*domain[ \t]*=[ \t]*(?:"([^"\\\r\n]+)"|'([^'\r\n]+)')[ \t]*(?:#.*)?$/mu;
/** Folders for temporary files, besides that of this process. */
const TEMPORARY: readonly string[] = ['/tmp', '/var/tmp'];
/** Hexadecimal digits of a digest. */
const DIGEST_CHARS = 16;

/** The project that a folder belongs to. */
export interface Project {
  /**
   * The domain in `.limbic.toml` in the folder or one above, up to the root of its working tree; or else the name of
   * the git repository, which all its worktrees share; or else that of the folder itself. `undefined` for a folder
   * that has no project: the root of a file system, the user's own, and those for temporary files.
   */
  readonly name: string | undefined;
  /**
   * Distinguishes it from others of the same name: 16 hexadecimal digits of the SHA-256 of a real path, a slash, and
   * the last component of the path. The path is that of the git directory that all worktrees share, or else of the
   * folder with `.limbic.toml`, or else of the folder itself.
   */
  readonly folder: string;
}

/** The project that a folder belongs to. */
export function projectOf(folder: string): Project {
  const start = resolve(folder);
  let named: { readonly name: string; readonly at: string } | undefined;
  for (let at = start; ; at = dirname(at)) {
    const domain = named === undefined ? domainIn(at) : undefined;
    if (domain !== undefined) named = { name: domain, at };
    const repository = repositoryIn(at);
    if (repository !== undefined) {
      const { shared, own } = repository;
      return { name: named?.name ?? domainIn(dirname(shared)) ?? nameOf(shared), folder: identified(own) };
    }
    if (dirname(at) === at) {
      return { name: named?.name ?? ownNameOf(start), folder: identified(named?.at ?? start) };
    }
  }
}

/**
 * The name of a folder that is in no repository and has no settings, as far as it can be that of a project. It is that
 * of the real folder: a server's working directory is one, and a hook's may be a link to it.
 */
function ownNameOf(folder: string): string | undefined {
  const here = realPath(folder);
  const others = [homeFolder(), tmpdir(), ...TEMPORARY].filter((path) => path !== '');
  if (others.some((path) => realPath(path) === here)) return undefined;
  return dirname(here) === here ? undefined : basename(here);
}

/** The user's folder; empty where the system knows none, as in containers with any user id. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The root of the working tree that a folder is in, or else the folder itself. */
export function treeOf(folder: string): string {
  const start = resolve(folder);
  for (let at = start; ; at = dirname(at)) {
    if (repositoryIn(at) !== undefined) return at;
    if (dirname(at) === at) return start;
  }
}

/**
 * The label by which a person confirms a folder as that of its project. `undefined` if it has none, as the root of a
 * file system.
 */
export function labelOf(folder: string): string | undefined {
  const { name, folder: identity } = projectOf(folder);
  return name === undefined ? undefined : `project:${name}#${identity.slice(0, DIGEST_CHARS)}`;
}

/** The digest and the last component of a path, that of a `.git` the one above it. */
function identified(path: string): string {
  const real = realPath(path);
  const digest = createHash('sha256').update(real).digest('hex').slice(0, DIGEST_CHARS);
  return `${digest}/${basename(basename(real) === '.git' ? dirname(real) : real)}`;
}

function domainIn(folder: string): string | undefined {
  const [, quoted, literal] = DOMAIN.exec(textOf(join(folder, SETTINGS)) ?? '') ?? [];
  return quoted ?? literal;
}

/** The root of a working tree. */
interface Repository {
  /** The git directory that it states, which all worktrees of a repository share. */
  readonly shared: string;
  /**
   * What it is known by: that directory, if it is its own or knows this worktree; or else the folder. Otherwise a
   * folder could name the repository of another project.
   */
  readonly own: string;
}

function repositoryIn(folder: string): Repository | undefined {
  const entry = join(folder, '.git');
  const found = statsOf(entry);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return { shared: entry, own: lstatSync(entry).isSymbolicLink() ? folder : entry };
  const [, path] = /^gitdir: (.+)$/mu.exec(textOf(entry) ?? '') ?? [];
  if (path === undefined) return undefined;
  const tree = resolve(folder, path.trim());
  const common = textOf(join(tree, 'commondir'))?.trim();
  if (common === undefined) return { shared: tree, own: folder };
  const shared = resolve(tree, common);
  return { shared, own: isWorktree(entry, tree, shared) ? shared : folder };
}

/** Whether a repository has the worktree with this entry, which it keeps in `tree`. */
function isWorktree(entry: string, tree: string, shared: string): boolean {
  const stated = textOf(join(tree, 'gitdir'))?.trim();
  return (
    stated !== undefined &&
    dirname(realPath(tree)) === join(realPath(shared), 'worktrees') &&
    realPath(resolve(tree, stated)) === realPath(entry)
  );
}

/** `atlas` for `atlas/.git` and for the bare repository `atlas.git`. */
function nameOf(repository: string): string {
  const name = basename(repository);
  return name === '.git' ? basename(dirname(repository)) : name.replace(/\.git$/u, '');
}

/** `undefined` if there is nothing, or this user may not look it up. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
