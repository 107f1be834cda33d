/**
 * `limbic-memory hook`, `audit`, `inbox`, `token`, `check`, `compact` and `unlock`. They run the core in the main
 * thread, because no other call waits for it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { taken } from 'limbic-shell/answer.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { openStandalone, disableOptimizingCompiler, loadCore, type StandaloneOptions } from './core/standalone.ts';
import type { AuditOptions } from './database-options.ts';
import type { HookRequest, HookRun } from './hook-options.ts';
import { HOOKS, installHooks } from './hook-install.ts';
import { log } from './log.ts';
import { projectOf } from './project.ts';

export { runInbox } from './inbox.ts';
export { prepareEncryption, runKey } from './key-command.ts';
export { runToken } from './token-command.ts';
export { runUnlock } from './unlock.ts';

const INPUT = 0;
/** Bytes read from the end of a transcript; lines marked earlier are stored already. */
const MAX_TRANSCRIPT_BYTES = 32 * 1024 * 1024;

/** Fields of the host's JSON that must be strings if present. */
const TEXTS = ['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'tool_name'] as const;

/** The fields of the host's JSON that hooks use. */
type HookEvent = { readonly [key in (typeof TEXTS)[number]]?: string };

/** Runs a hook or installs the hooks. Returns the exit code. */
export function runHook(request: HookRequest): number {
  if (request.kind === 'install') return installHooks(request);
  try {
    const output = answer(request, readFileSync(INPUT, 'utf8'));
    if (output !== undefined) process.stdout.write(`${output}\n`);
  } catch (error) {
    const failure = knownFailure(error);
    const what = failure?.code === 'marks_refused' ? 'left something out' : 'did nothing';
    const hint = failure?.hint === undefined ? '' : `. ${failure.hint}`;
    log(`the hook ${request.hook} ${what}: ${failure?.error ?? textOf(error)}${hint}`);
  }
  // Any other exit code would stop the host's session or block the tool.
  return 0;
}

function answer({ hook, db, user, redact, assistantMarks }: HookRun, input: string): string | undefined {
  if (!HOOKS.has(hook)) throw new Error(`unknown hook; expected one of ${[...HOOKS].join(', ')}`);
  const event = readEvent(input);
  const transcript = hook === 'session-end' ? readTranscript(event) : undefined;
  // Without a database there is nothing to read, and a hook that only reads does not create one.
  if (!existsSync(db) && transcript === undefined) return undefined;
  disableOptimizingCompiler();
  loadCore();
  const database = openStandalone(db, { user, redact, assistantMarks });
  try {
    const project = event.cwd === undefined ? undefined : projectOf(event.cwd);
    const named = project === undefined ? input : JSON.stringify({ ...event, limbic_project: project });
    return database.open().hook(hook, named, transcript) ?? undefined;
  } finally {
    database.close();
  }
}

/** Validates the host's JSON. The core does so as well, but is not called if there is no database. */
function readEvent(input: string): HookEvent {
  const event: unknown = JSON.parse(input);
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new Error('standard input must be one JSON object');
  const wrong = TEXTS.find((key) => !['string', 'undefined'].includes(typeof (event as Record<string, unknown>)[key]));
  if (wrong !== undefined) throw new Error(`${wrong} on standard input must be a string`);
  return event;
}

function readTranscript({ transcript_path: path }: HookEvent): Uint8Array {
  if (path === undefined) throw new Error('transcript_path is missing on standard input');
  const bytes = readFileSync(path);
  return bytes.subarray(Math.max(0, bytes.length - MAX_TRANSCRIPT_BYTES));
}

/** Prints the audit log. Returns the exit code. */
export function runAudit({ db, memory, user, limit }: AuditOptions): number {
  if (!existsSync(db)) {
    log(`the database does not exist: ${db}`);
    return 2;
  }
  try {
    loadCore();
    const database = openStandalone(db);
    try {
      const { isError, text } = taken(database.open().audit(memory, user, limit));
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
