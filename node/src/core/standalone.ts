/** The core in the main thread, for commands that serve nobody. */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { packagedFile } from '../paths.ts';
import { Database } from './database.ts';

/**
 * Tells the engine that this process ends in a moment: compiling for speed costs it more than half of its time, and its
 * end would wait for that. To be called before the core is loaded.
 */
export function disableOptimizingCompiler(): void {
  setFlagsFromString('--liftoff-only');
}

/** Makes the core's functions ready to be called. */
export function loadCore(): void {
  initSync({ module: readFileSync(packagedFile('limbic_core_bg.wasm')) });
}

/** What a command says of its database; the rest is as usual. */
interface StandaloneOptions {
  readonly readOnly?: boolean;
  readonly user?: string | undefined;
  readonly redact?: string | undefined;
}

/** A database that only this process's own command uses. */
export function openStandalone(db: string, { readOnly = false, user, redact }: StandaloneOptions = {}): Database {
  return new Database({
    wasm: '',
    db,
    readOnly,
    toolsets: [],
    compat: undefined,
    searchLogDays: undefined,
    privateLog: false,
    redact,
    user,
    testClockMillis: undefined,
    drainsQueue: false,
    runsQueue: false,
    testTrap: undefined,
  });
}
