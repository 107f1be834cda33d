import { type FSWatcher, watch } from 'node:fs';
import { basename, join } from 'node:path';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { textOf } from 'limbic-shell/failure.ts';
import { guarded } from './guarded.ts';

/** Time without a change after which changes are handled together. */
const QUIET_MILLIS = 500;
/** Maximum time for which changes are held back. */
const MAX_DELAY_MILLIS = 5000;
/** Time after which changes are offered again to a core that is in use. */
const RETRY_MILLIS = 50;
/** Time after which changes are offered again after a failure. */
const FAILURE_RETRY_MILLIS = 10_000;
/** Maximum number of changed paths; above, the whole project is compared. */
const MAX_PATHS = 1000;

/** A watched project: the absolute path of its folder, and the folders below it that are watched, relative to it. */
interface WatchedProject {
  readonly root: string;
  readonly folders: readonly string[];
}

/** The dependencies of the watch. */
export interface SourceWatchEnds {
  /** The open core, unless a call is being run or there is none. */
  readonly idleCore: () => Core | undefined;
  /** Lets events that have occurred be handled first. */
  readonly turnOfLoop: () => Promise<void>;
  /** Called when the index has something to do. */
  readonly changed: () => void;
  /** Called when the module has trapped. */
  readonly trapped: (error: unknown) => void;
  /** Called with a reason for the log. */
  readonly failed: (reason: string) => void;
}

/**
 * Watches the folders of watched projects, and reports changed files to the core. Each folder is watched by itself,
 * so that those which ignore rules exclude cost nothing.
 */
export class SourceWatch {
  readonly #ends: SourceWatchEnds;
  #watchers = new Map<string, FSWatcher>();
  /** The changed paths by project; an empty path means that anything in the project may have changed. */
  readonly #changes = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #firstChangeMillis = 0;
  #hasFailed = false;
  #isStopped = false;

  constructor(ends: SourceWatchEnds) {
    this.#ends = ends;
  }

  /** Watches what the core wants to be watched. Called whenever nothing remains to be indexed. */
  update(): void {
    const core = this.#isStopped ? undefined : this.#ends.idleCore();
    if (core === undefined) return;
    this.#guarded(() => {
      const projects = core.watched_folders();
      if (projects !== undefined) this.#follow(JSON.parse(projects) as readonly WatchedProject[]);
    });
  }

  /**
   * Passes the changes so far to the core before a call that reads the code index. Rejects only if the module trapped,
   * or with the error of `open`, which returns the core that is open at the time.
   */
  async reportBefore(open: () => Core, tool: string, args: string): Promise<void> {
    if (this.#watchers.size === 0 || !open().reads_code(tool, args)) return;
    await this.#ends.turnOfLoop();
    const isPassed = this.#passTo(open(), (error) => {
      throw error;
    });
    if (isPassed) clearTimeout(this.#timer);
    if (isPassed) this.#timer = undefined;
  }

  /** Stops watching permanently. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /**
   * Watches exactly these folders. All watchers are created again, because one ends with its folder, and the folder may
   * have been replaced. A project with a folder that was not watched before is compared once more: something may have
   * changed in it after it was listed.
   */
  #follow(projects: readonly WatchedProject[]): void {
    const before = this.#watchers;
    const after = new Map<string, FSWatcher>();
    this.#watchers = after;
    for (const { root, folders } of projects) {
      for (const folder of folders) {
        const key = `${root}\0${folder}`;
        const watcher = this.#watched(root, folder);
        if (watcher === undefined) continue;
        after.set(key, watcher);
        if (!before.has(key)) this.#note(root, '');
      }
    }
    for (const watcher of before.values()) watcher.close();
  }

  #watched(root: string, folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(join(root, folder), { persistent: false }, (_, name) => {
        // A notice of the folder itself has its name. The folder above reports it, too; a project's has none above.
        const isProject = folder === '' && name === basename(root);
        this.#note(root, name === null || isProject ? '' : below(folder, name));
      });
      // The folder is gone: the one above it has changed, too.
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if ((code === 'ENOSPC' || code === 'EMFILE') && !this.#hasFailed) {
        this.#hasFailed = true;
        const what = 'projects are compared with it every ten minutes';
        this.#ends.failed(`source code cannot be watched (${textOf(error)}): ${what}`);
      }
      return undefined;
    }
  }

  #note(root: string, path: string): void {
    if (this.#isStopped) return;
    const paths = this.#changes.get(root) ?? new Set<string>();
    if (!paths.has('')) paths.add(path);
    const isAll = paths.has('') || paths.size > MAX_PATHS;
    this.#changes.set(root, isAll ? new Set(['']) : paths);
    const now = performance.now();
    if (this.#timer === undefined) this.#firstChangeMillis = now;
    clearTimeout(this.#timer);
    this.#wait(Math.min(QUIET_MILLIS, Math.max(0, this.#firstChangeMillis + MAX_DELAY_MILLIS - now)));
  }

  #wait(millis: number): void {
    this.#timer = setTimeout(() => this.#report(), millis);
    this.#timer.unref();
  }

  /** Passes the changes to the core. Those that it cannot take are kept. */
  #report(): void {
    this.#timer = undefined;
    if (this.#isStopped) return;
    const core = this.#ends.idleCore();
    if (core === undefined) {
      this.#wait(RETRY_MILLIS);
      return;
    }
    const isPassed = this.#passTo(core, this.#ends.trapped);
    // A trap has ended the watch.
    if (this.#isStopped) return;
    if (!isPassed) this.#wait(FAILURE_RETRY_MILLIS);
    this.#ends.changed();
  }

  /** Passes all changes to a core. Returns whether it has taken them. */
  #passTo(core: Core, trapped: (error: unknown) => void): boolean {
    for (const [root, paths] of this.#changes) {
      const isTold = this.#guarded(() => core.files_changed(root, paths.has('') ? [] : [...paths]), trapped);
      if (isTold) this.#changes.delete(root);
      if (this.#isStopped) return false;
    }
    return this.#changes.size === 0;
  }

  #guarded(work: () => void, trapped = this.#ends.trapped): boolean {
    return guarded(work, {
      trapped,
      failed: ({ error }) => this.#ends.failed(`changed source code is not read yet: ${error}`),
    });
  }
}

/** The path of an entry of a folder. */
function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
