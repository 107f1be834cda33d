/** The core in the main thread, for commands without clients. */
import { setFlagsFromString } from 'node:v8';
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { codeBelow } from '../code-settings.ts';
import { readLarge } from '../large-file.ts';
import { acceptsSharedDisk } from '../options.ts';
import { packagedFile } from '../paths.ts';
import { validateOnDemand } from '../wasm-flags.ts';
import { Database } from './database.ts';

/**
 * Disables V8's optimizing WebAssembly compiler: for a short-lived command it takes more than half of the run time and
 * delays the exit. Call this before the core is loaded.
 */
export function disableOptimizingCompiler(): void {
  setFlagsFromString('--liftoff-only');
}

/** Loads the core's module. */
export function loadCore(): void {
  validateOnDemand();
  initSync({ module: readLarge(packagedFile('limbic_core_bg.wasm')) });
}

/** The settings of a command; the others have their defaults. */
export interface StandaloneOptions {
  readonly readOnly?: boolean;
  readonly user?: string | undefined;
  readonly redact?: string | undefined;
  readonly assistantMarks?: boolean;
  readonly toolsets?: readonly string[];
  readonly shell?: 'inbox';
  /** The folder whose source code is read; none without it. */
  readonly codeRoot?: string | undefined;
}

/** Creates a database for use by this process's command only. */
export function openStandalone(db: string, options: StandaloneOptions = {}): Database {
  const { readOnly = false, user, redact, assistantMarks = false, toolsets = [], shell, codeRoot } = options;
  return new Database({
    wasm: '',
    db,
    acceptsSharedDisk: acceptsSharedDisk(process.env),
    readOnly,
    toolsets,
    compat: undefined,
    shell,
    code: codeRoot === undefined ? undefined : codeBelow(codeRoot),
    searchLogDays: undefined,
    privateLog: false,
    redact,
    user,
    assistantMarks,
    testClockMillis: undefined,
    drainsQueue: false,
    runsQueue: false,
    testTrap: undefined,
  });
}
