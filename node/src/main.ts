#!/usr/bin/env node
/**
 * `limbic-memory`: reads the options, then serves. Other modules are loaded on demand, so that usage errors are
 * reported without delay.
 */
import * as nodeModule from 'node:module';
import { startCore } from './core-start.ts';
import { checkToolsets, type Command, readOptions } from './options.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { ignoreErrorsOfLog, log } from './log.ts';
import { exitOnClosedPipe, isClosedPipe } from './output.ts';
import { ToolCatalog } from './tool-catalog.ts';
import { UsageError } from './usage.ts';

declare const LIMBIC_VERSION: string;

async function main(): Promise<void> {
  const request = readOptions(process.argv.slice(2), process.env);
  if (request.kind !== 'serve' && !isHook) exitOnClosedPipe();
  if (request.kind === 'help') {
    process.stdout.write((await import('./help.ts')).helpText());
    return;
  }
  if (request.kind === 'version') {
    process.stdout.write(`${LIMBIC_VERSION}\n`);
    return;
  }
  if (request.kind !== 'serve') {
    await runCommand(request);
    return;
  }
  const catalog = ToolCatalog.fromPackage();
  checkToolsets(request.options, catalog);
  request.warnings.forEach(log);
  // Node 22 and later cache the compiled code of modules that are loaded after this call.
  (nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  if (request.options.encrypts) {
    const { prepareEncryption } = await import('./commands.js');
    if (!(await prepareEncryption(request.options.db, request.options.acceptsSharedDisk))) process.exit(2);
  }
  const core = startCore(request.options, catalog);
  const { serve } = await import('./server.js');
  await serve(request.options, catalog, core);
}

async function runCommand({ kind, args }: Command): Promise<void> {
  const env = process.env;
  switch (kind) {
    case 'export': {
      const { exportHelpText, readExportOptions } = await import('./export-options.ts');
      await runOrHelp(readExportOptions(args, env), exportHelpText, async (options) =>
        (await import('./export.js')).runExport(options),
      );
      break;
    }
    case 'hook': {
      const { hookHelpText, readHookOptions } = await import('./hook-options.ts');
      await runOrHelp(readHookOptions(args, env), hookHelpText, async (options) =>
        options.kind === 'install'
          ? (await import('./commands.js')).installHooks(options)
          : (await import('./hook.ts')).runHook(options, async (run, call) =>
              (await import('./commands.js')).runHookHere(run, call),
            ),
      );
      break;
    }
    case 'audit': {
      const { auditHelpText, readAuditOptions } = await import('./database-options.ts');
      await runOrHelp(readAuditOptions(args, env), auditHelpText, async (options) =>
        (await import('./commands.js')).runAudit(options),
      );
      break;
    }
    case 'check': {
      const { checkHelpText, readDatabaseOptions } = await import('./database-options.ts');
      await runOrHelp(readDatabaseOptions(args, env), checkHelpText, async (options) =>
        (await import('./commands.js')).runCheck(options),
      );
      break;
    }
    case 'compact': {
      const { compactHelpText, readCompactOptions } = await import('./database-options.ts');
      await runOrHelp(readCompactOptions(args, env), compactHelpText, async (options) =>
        (await import('./commands.js')).runCompact(options),
      );
      break;
    }
    case 'inbox': {
      const { inboxHelpText, readInboxOptions } = await import('./inbox-options.ts');
      await runOrHelp(readInboxOptions(args, env), inboxHelpText, async (options) =>
        (await import('./commands.js')).runInbox(options),
      );
      break;
    }
    case 'token': {
      const { readTokenOptions, tokenHelpText } = await import('./token-options.ts');
      const catalog = ToolCatalog.fromPackage();
      const known = { all: catalog.toolsets(), ofUsers: catalog.toolsetsOfUsers() };
      const asked = readTokenOptions(args, env, known);
      await runOrHelp(asked, tokenHelpText, async (options) => (await import('./commands.js')).runToken(options));
      break;
    }
    case 'unlock': {
      const { readUnlockOptions, unlockHelpText } = await import('./unlock-options.ts');
      await runOrHelp(readUnlockOptions(args, env), unlockHelpText, async (options) =>
        (await import('./commands.js')).runUnlock(options),
      );
      break;
    }
    case 'key': {
      const { keyHelpText, readKeyOptions } = await import('./key-options.ts');
      await runOrHelp(readKeyOptions(args, env), keyHelpText, async (options) =>
        (await import('./commands.js')).runKey(options),
      );
      break;
    }
    case 'model': {
      const { modelHelpText, readModelOptions } = await import('./model-options.ts');
      await runOrHelp(readModelOptions(args, env), modelHelpText, async (options) =>
        (await import('./model-check.js')).runModelCheck(options),
      );
      break;
    }
  }
}

/** Runs a command and keeps its exit code. Without options, which `--help` leaves out, prints its help instead. */
async function runOrHelp<CommandOptions>(
  options: CommandOptions | undefined,
  helpText: () => string,
  run: (options: CommandOptions) => Promise<number>,
): Promise<void> {
  if (options === undefined) process.stdout.write(helpText());
  else process.exitCode = await run(options);
}

/** Whether the host runs this as a hook: an exit code other than 0 would stop its session or block the tool. */
const isHook = process.argv[2] === 'hook' && process.argv[3] !== 'install';

function failed(error: unknown): never {
  if (isClosedPipe(error)) process.exit(0);
  if (isHook) {
    ignoreErrorsOfLog();
    log(`the hook did nothing: ${textOf(error)}`);
    process.exit(0);
  }
  if (error instanceof UsageError) {
    log(`${error.message}\nSee limbic-memory --help`);
    process.exit(2);
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}

// A hook prints without the streams of Node, unless it fails.
if (isHook) process.on('uncaughtException', failed);
else ignoreErrorsOfLog();
main().catch(failed);
