/** The core in the main thread, for commands that serve nobody. */
import { readFileSync } from 'node:fs';
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { packaged } from '../paths.ts';
import { Database } from './database.ts';

/** Makes the core's functions ready to be called. */
export function loadCore(): void {
  initSync({ module: readFileSync(packaged('limbic_core_bg.wasm')) });
}

/** A database that only this process's own command uses. */
export function databaseAlone(db: string, readOnly: boolean, redact?: string): Database {
  return new Database({
    wasm: '',
    db,
    readOnly,
    toolsets: [],
    compat: undefined,
    searchLogDays: undefined,
    privateLog: false,
    redact,
    testClockMillis: undefined,
    settle: false,
    pumps: false,
    testTrap: undefined,
  });
}
