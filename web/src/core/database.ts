import { Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from 'limbic-shell/failure.ts';
import { MemoryFiles } from './memory-files.ts';
import type { CoreSettings } from './messages.ts';

/** The kind of shell, on which the core's hints depend. */
const SHELL = 'page';
/** The worker of an ended leader may hold the files slightly longer than its lock. */
const TAKEN_PAUSE_MILLIS = 50;
const TAKEN_TRIES = 60;

/** Why the database cannot be in the browser's storage; `undefined` if it can. */
export async function whyNotInBrowser(settings: CoreSettings): Promise<string | undefined> {
  if (settings.memoryOnly) return 'This page was opened with a memory that is not stored (?memory).';
  if (navigator.locks === undefined)
    return 'This address is not secure. Over https or on localhost, the browser would store the memory, keep it for the next visit and open the page offline.';
  try {
    await navigator.storage.getDirectory();
    return undefined;
  } catch {
    return 'The browser offers no storage here, as in some private windows. In a regular window the memory would be stored.';
  }
}

/**
 * Opens the database in the browser's storage. Throws the core's error.
 *
 * @param key the key of an encrypted database, in one of its text forms; a plain one ignores it.
 */
export function openInBrowser(settings: CoreSettings, key?: string): Promise<Core> {
  return whenReleased(() => Core.open_opfs(browserOptions(settings, key)));
}

/** The core's options for the database in the browser's storage. */
export function browserOptions({ database, toolsets }: CoreSettings, key?: string): string {
  // A folder can be used by one worker only, so each database has its own.
  return JSON.stringify({ directory: `limbic-${database}`, path: database, toolsets, key, shell: SHELL });
}

/** Repeats an opening while the worker of an ended leader holds the files. */
async function whenReleased(open: () => Promise<Core>): Promise<Core> {
  for (let left = TAKEN_TRIES; ; left -= 1) {
    try {
      return await open();
    } catch (error) {
      if (knownFailure(error)?.code !== 'storage_taken' || left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, TAKEN_PAUSE_MILLIS));
    }
  }
}

/** Opens the database over in-memory files, which another instance can reuse. */
export function openInMemory(settings: CoreSettings, files: MemoryFiles): Core {
  const path = MemoryFiles.path(settings.database);
  return Core.open(files, JSON.stringify({ path, toolsets: settings.toolsets, shell: SHELL }));
}
