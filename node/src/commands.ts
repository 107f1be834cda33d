/**
 * `limbic-memory hook`, `audit`, `inbox`, `token`, `check`, `compact`, `key` and `unlock`. They run the core in the
 * main thread, because no other call waits for it.
 */
import { existsSync } from 'node:fs';
import { taken } from 'limbic-shell/answer.ts';
import { NO_ENCODINGS } from 'limbic-shell/encoder-link.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { openStandalone, disableOptimizingCompiler, loadCore, type StandaloneOptions } from './core/standalone.ts';
import type { AuditOptions } from './database-options.ts';
import type { HookCall } from './hook-messages.ts';
import type { HookRun } from './hook-options.ts';
import { log } from './log.ts';
import { treeOf } from './project.ts';

export { installHooks } from './hook-install.ts';
export { runInbox } from './inbox.ts';
export { prepareEncryption, runKey } from './key-command.ts';
export { runToken } from './token-command.ts';
export { runUnlock } from './unlock.ts';

/** The hook that shows the memories of a file, which compares the file with the index. */
const BEFORE_TOOL = 'pre-tool-use';

/** Runs a hook with the core in this process. Returns what it prints, if anything. */
export function runHookHere({ db, user, redact, assistantMarks }: HookRun, call: HookCall): string | undefined {
  disableOptimizingCompiler();
  loadCore();
  // The code index belongs to no user.
  const { cwd } = JSON.parse(call.input) as { readonly cwd?: string };
  const codeRoot = call.hook === BEFORE_TOOL && user === undefined && cwd !== undefined ? treeOf(cwd) : undefined;
  const database = openStandalone(db, { user, redact, assistantMarks, codeRoot });
  try {
    return database.open().hook(call.hook, call.input, call.transcript, NO_ENCODINGS) ?? undefined;
  } finally {
    database.close();
  }
}

/** Prints the audit log. Returns the exit code. */
export function runAudit({ db, memory, user, origin, limit }: AuditOptions): number {
  if (!existsSync(db)) {
    log(`the database does not exist: ${db}`);
    return 2;
  }
  try {
    loadCore();
    const database = openStandalone(db);
    try {
      const { isError, text } = taken(database.open().audit(memory, user, origin, limit));
      if (isError) throw new Error(text);
      for (const line of JSON.parse(text) as readonly unknown[]) process.stdout.write(`${JSON.stringify(line)}\n`);
    } finally {
      database.close();
    }
    return 0;
  } catch (error) {
    log(knownFailure(error)?.error ?? textOf(error));
    return 2;
  }
}

/** Checks the database for damage, and prints a line for each finding. Returns the exit code: 1 for damage. */
export function runCheck(db: string): number {
  return withDatabase(db, { readOnly: true }, (core) => {
    const { pages, findings } = JSON.parse(core.check_integrity()) as { pages: number; findings: readonly string[] };
    for (const finding of findings) process.stdout.write(`${finding}\n`);
    if (findings.length === 0) {
      log(`no damage found in ${pages} pages`);
      return 0;
    }
    log(
      'the database is damaged. Keep a copy of it; then restore a backup, or export what can still be read: ' +
        'limbic-memory export --format limbic --out rescued.limbic.jsonl',
    );
    return 1;
  });
}

/** Rebuilds the database and prints its size before and after to standard error. Returns the exit code. */
export function runCompact(db: string): number {
  return withDatabase(db, {}, (core) => {
    const sizes = JSON.parse(core.compact()) as { bytes_before: number; bytes_after: number };
    log(`compacted ${sizes.bytes_before} bytes to ${sizes.bytes_after}`);
    return 0;
  });
}

/** Opens an existing database for a command. Returns the command's exit code, or 2 if it fails. */
function withDatabase(db: string, options: StandaloneOptions, command: (core: Core) => number): number {
  if (!existsSync(db)) {
    log(`the database does not exist: ${db}`);
    return 2;
  }
  try {
    loadCore();
    const database = openStandalone(db, options);
    try {
      return command(database.open());
    } finally {
      database.close();
    }
  } catch (error) {
    const failure = knownFailure(error);
    if (failure?.code === 'read_only' && options.readOnly === true) {
      // It is opened for reading only, and would have to be upgraded.
      log('the database is of an earlier version, or in WAL mode: check a copy of it that a server has opened');
      return 2;
    }
    log(failure?.error ?? textOf(error));
    if (failure?.hint !== undefined) log(failure.hint);
    return 2;
  }
}
