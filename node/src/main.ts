#!/usr/bin/env node
/** `limbic-memory`: reads the options, then serves. Other modules are loaded on demand, so that usage errors are reported without delay. */
import * as nodeModule from 'node:module';
import { checkToolsets, readOptions } from './options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import { exitOnClosedPipe, isClosedPipe } from './output.ts';
import { ToolCatalog } from './tool-catalog.ts';
import { UsageError } from './usage.ts';

declare const LIMBIC_VERSION: string;

async function main(): Promise<void> {
  const request = readOptions(process.argv.slice(2), process.env);
  if (request.kind !== 'serve') exitOnClosedPipe();
  if (request.kind === 'help') {
    process.stdout.write((await import('./help.ts')).helpText());
    return;
  }
  if (request.kind === 'export') {
    const { exportHelpText, readExportOptions } = await import('./export-options.ts');
    const options = readExportOptions(request.args, process.env);
    if (options === undefined) process.stdout.write(exportHelpText());
    else process.exitCode = (await import('./export.js')).runExport(options);
    return;
  }
  if (request.kind === 'check' || request.kind === 'compact') {
    await runOnDatabase(request.kind, request.args);
    return;
  }
  if (request.kind === 'hook' || request.kind === 'audit') {
    await runCommand(request.kind, request.args);
    return;
  }
  if (request.kind === 'unlock') {
    const { readUnlockOptions, unlockHelpText } = await import('./unlock-options.ts');
    const options = readUnlockOptions(request.args, process.env);
    if (options === undefined) process.stdout.write(unlockHelpText());
    else process.exitCode = (await import('./commands.js')).runUnlock(options);
    return;
  }
  if (request.kind === 'key') {
    const { keyHelpText, readKeyOptions } = await import('./key-options.ts');
    const options = readKeyOptions(request.args, process.env);
    if (options === undefined) process.stdout.write(keyHelpText());
    else process.exitCode = (await import('./commands.js')).runKey(options);
    return;
  }
  if (request.kind === 'inbox') {
    const { inboxHelpText, readInboxOptions } = await import('./inbox-options.ts');
    const options = readInboxOptions(request.args, process.env);
    if (options === undefined) process.stdout.write(inboxHelpText());
    else process.exitCode = (await import('./commands.js')).runInbox(options);
    return;
  }
  if (request.kind === 'model') {
    const { modelHelpText, readModelOptions } = await import('./model-options.ts');
    const options = readModelOptions(request.args, process.env);
    if (options === undefined) process.stdout.write(modelHelpText());
    else process.exitCode = (await import('./model-check.js')).runModelCheck(options);
    return;
  }
  if (request.kind === 'token') {
    const { readTokenOptions, tokenHelpText } = await import('./token-options.ts');
    const catalog = ToolCatalog.fromPackage();
    const known = { all: catalog.toolsets(), ofUsers: catalog.toolsetsOfUsers() };
    const options = readTokenOptions(request.args, process.env, known);
    if (options === undefined) process.stdout.write(tokenHelpText());
    else process.exitCode = (await import('./commands.js')).runToken(options);
    return;
  }
  if (request.kind === 'version') {
    process.stdout.write(`${LIMBIC_VERSION}\n`);
    return;
  }
  const catalog = ToolCatalog.fromPackage();
  checkToolsets(request.options, catalog);
  request.warnings.forEach(log);
  // Node 22 and later cache the compiled code of modules that are loaded after this call.
  (nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  if (request.options.encrypts) {
    const { prepareEncryption } = await import('./commands.js');
    if (!prepareEncryption(request.options.db, request.options.acceptsSharedDisk)) process.exit(2);
  }
  const { serve } = await import('./server.js');
  await serve(request.options, catalog);
}

async function runOnDatabase(kind: 'check' | 'compact', args: readonly string[]): Promise<void> {
  const { checkHelpText, compactHelpText, readDatabaseOptions } = await import('./hook-options.ts');
  const db = readDatabaseOptions(args, process.env);
  if (db === undefined) {
    process.stdout.write(kind === 'check' ? checkHelpText() : compactHelpText());
    return;
  }
  const { runCheck, runCompact } = await import('./commands.js');
  process.exitCode = kind === 'check' ? runCheck(db) : runCompact(db);
}

async function runCommand(kind: 'hook' | 'audit', args: readonly string[]): Promise<void> {
  const { auditHelpText, hookHelpText, readAuditOptions, readHookOptions } = await import('./hook-options.ts');
  if (kind === 'hook') {
    const request = readHookOptions(args, process.env);
    if (request === undefined) process.stdout.write(hookHelpText());
    else process.exitCode = (await import('./commands.js')).runHook(request);
    return;
  }
  const options = readAuditOptions(args, process.env);
  if (options === undefined) process.stdout.write(auditHelpText());
  else process.exitCode = (await import('./commands.js')).runAudit(options);
}

/** Whether the host runs this as a hook: an exit code other than 0 would stop its session or block the tool. */
const isHook = process.argv[2] === 'hook' && process.argv[3] !== 'install';

function failed(error: unknown): never {
  if (isHook) {
    log(`the hook did nothing: ${textOf(error)}`);
    process.exit(0);
  }
  if (isClosedPipe(error)) process.exit(0);
  if (error instanceof UsageError) {
    log(`${error.message}\nSee limbic-memory --help`);
    process.exit(2);
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}

// For example, EPIPE of a host that no longer reads.
if (isHook) process.on('uncaughtException', failed);
main().catch(failed);
