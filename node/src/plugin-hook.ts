/**
 * The hooks of the plugin, which `release.mjs` bundles as `plugin/hooks/hook.cjs`: a running server answers, and npx,
 * which takes several times as long as Node to start, is started only if none does.
 */
import { spawnSync } from 'node:child_process';
import { textOf } from 'limbic-shell/failure.ts';
import { type Alone, runHook } from './hook.ts';
import { readHookOptions } from './hook-options.ts';
import { ignoreErrorsOfLog, log } from './log.ts';

/** The package with the version of these files, as in `limbic-memory@0.1.0`. */
declare const LIMBIC_PACKAGE: string;

/** Runs the hook by npx, with the same input. It prints its answer and its errors itself. */
const byNpx: Alone = async ({ hook }, _, input) => {
  const { error, status } = spawnSync('npx', ['-y', LIMBIC_PACKAGE, 'hook', hook], {
    input,
    stdio: ['pipe', 'inherit', 'inherit'],
    // On Windows npx is a script, which only a shell starts.
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`npx -y ${LIMBIC_PACKAGE} ended with ${status}`);
  return undefined;
};

async function main(): Promise<void> {
  const run = readHookOptions(process.argv.slice(2), process.env);
  if (run?.kind === 'run') await runHook(run, byNpx);
  else log('the hook did nothing: expected the name of a hook');
}

// Output that nobody reads is no failure of the hook.
process.stdout.on('error', () => {});
ignoreErrorsOfLog();
main().catch((error: unknown) => log(`the hook did nothing: ${textOf(error)}`));
