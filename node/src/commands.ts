/** `limbic-memory hook` and `limbic-memory audit`. They run the core in the main thread: nobody waits. */
import { existsSync, readFileSync } from 'node:fs';
import { databaseAlone, endSoon, loadCore } from './core/alone.ts';
import type { AuditOptions, HookRequest } from './hook-options.ts';
import { installHooks } from './hook-install.ts';
import { knownFailure } from './failure.ts';
import { log, textOf } from './log.ts';

const INPUT = 0;
/** The end of a session's file that is read: what was marked before stands there already. */
const TRANSCRIPT_MOST_BYTES = 32 * 1024 * 1024;

/** Runs a hook or installs them, and gives the exit code. */
export function runHook(request: HookRequest): number {
  if (request.kind === 'install') return installHooks(request);
  try {
    const told = answer(request.hook, request.db, request.redact, readFileSync(INPUT, 'utf8'));
    if (told !== undefined) process.stdout.write(`${told}\n`);
  } catch (error) {
    log(`the hook ${request.hook} did nothing: ${knownFailure(error)?.error ?? textOf(error)}`);
  }
  // Another code would stop the host's session, or the tool that it is about to run.
  return 0;
}

function answer(hook: string, db: string, redact: string | undefined, input: string): string | undefined {
  const transcript = hook === 'session-end' ? readTranscript(input) : undefined;
  // Before there is a database there is nothing to tell, and a hook that only asks makes none.
  if (!existsSync(db) && transcript === undefined) {
    JSON.parse(input);
    return undefined;
  }
  endSoon();
  loadCore();
  const database = databaseAlone(db, false, redact);
  try {
    return database.open().hook(hook, input, transcript) ?? undefined;
  } finally {
    database.close();
  }
}

function readTranscript(input: string): Uint8Array | undefined {
  const { transcript_path: path } = JSON.parse(input) as { transcript_path?: unknown };
  if (typeof path !== 'string' || !existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return bytes.subarray(Math.max(0, bytes.length - TRANSCRIPT_MOST_BYTES));
}

/** Prints the audit log and gives the exit code. */
export function runAudit({ db, memory, user, limit }: AuditOptions): number {
  if (!existsSync(db)) {
    log(`there is no database: ${db}`);
    return 2;
  }
  try {
    loadCore();
    const database = databaseAlone(db, false);
    try {
      const { isError, content } = JSON.parse(database.open().audit(memory, user, limit)) as { isError: boolean; content: unknown };
      if (isError) throw new Error(JSON.stringify(content));
      for (const line of content as readonly unknown[]) process.stdout.write(`${JSON.stringify(line)}\n`);
    } finally {
      database.close();
    }
    return 0;
  } catch (error) {
    log(knownFailure(error)?.error ?? textOf(error));
    return 2;
  }
}
