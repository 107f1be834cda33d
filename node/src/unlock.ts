/** `limbic-memory unlock`: removes locks of ended programs that Limbic cannot recognise as ended. */
import { existsSync } from 'node:fs';
import { unlock } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { loadCore } from './core/standalone.ts';
import { createFileHost } from './file-host.ts';
import { log } from './log.ts';
import type { UnlockOptions } from './unlock-options.ts';

/**
 * Lists the programs that have the database open, and removes the lock files of those not known to be running. Returns
 * the exit code.
 */
export function runUnlock({ db, confirmed }: UnlockOptions): number {
  if (![db, `${db}-locks`].some((path) => existsSync(path))) {
    log(`there is no database and there are no lock files at ${db}`);
    return 2;
  }
  try {
    loadCore();
    const { report, needsConfirmation } = unlock(createFileHost(), db, confirmed);
    process.stdout.write(report);
    if (needsConfirmation) process.stdout.write('Run the command again with --yes to remove them.\n');
    return needsConfirmation ? 1 : 0;
  } catch (error) {
    log(knownFailure(error)?.error ?? textOf(error));
    return 2;
  }
}
