/** The project that a folder belongs to. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The file that names the domain of a project. */
const SETTINGS = '.limbic.toml';
/** A line such as `domain = "atlas"`. */
const DOMAIN = /^[ \t]*domain[ \t]*=[ \t]*(?:"([^"\\\r\n]+)"|'([^'\r\n]+)')[ \t]*(?:#.*)?$/mu;

/**
 * The name of the project that a folder belongs to: the domain in `.limbic.toml` in this folder or one above, up to the
 * root of its working tree; or else the name of the git repository, which all its worktrees share. `undefined` if there
 * is neither.
 */
export function projectOf(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const named = domainIn(at);
    if (named !== undefined) return named;
    const repository = repositoryIn(at);
    if (repository !== undefined) return domainIn(dirname(repository)) ?? nameOf(repository);
    if (dirname(at) === at) return undefined;
  }
}

function domainIn(folder: string): string | undefined {
  const [, quoted, literal] = DOMAIN.exec(textOf(join(folder, SETTINGS)) ?? '') ?? [];
  return quoted ?? literal;
}

/** The git directory that all worktrees of a repository share, if this is the root of one. */
function repositoryIn(folder: string): string | undefined {
  const entry = join(folder, '.git');
  const found = statSync(entry, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isDirectory()) return entry;
  const [, path] = /^gitdir: (.+)$/mu.exec(textOf(entry) ?? '') ?? [];
  if (path === undefined) return undefined;
  const own = resolve(folder, path.trim());
  const shared = textOf(join(own, 'commondir'))?.trim();
  return shared === undefined ? own : resolve(own, shared);
}

/** `atlas` for `atlas/.git` and for the bare repository `atlas.git`. */
function nameOf(repository: string): string {
  const name = basename(repository);
  return name === '.git' ? basename(dirname(repository)) : name.replace(/\.git$/u, '');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
