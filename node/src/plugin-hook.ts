/**
 * The hooks of the plugin, which `release.mjs` bundles as `plugin/hooks/hook.cjs`: a running server answers, and npx,
 * which takes several times as long as Node to start, is started only if none does. The package contains it as
 * `hook-by-npx.cjs`, for `hook install` of a package that npx installed.
 */
import { resolve } from 'node:path';
import type { Alone } from './hook.ts';
import { runHookProgram } from './hook-program.ts';

/** The package with the version of these files, as in `limbic-memory@0.1.0`. */
declare const LIMBIC_PACKAGE: string;

/** Index of the first option in the arguments of this process, after the name of the hook. */
const OPTIONS_START = 3;

/**
 * Runs the hook by npx, with the same options and input. It prints its answer and its errors itself. The options are
 * passed as variables, because a shell of Windows would interpret arguments. It starts in the home folder: in the
 * working directory, npx would run a package of this name that a repository contains.
 */
const byNpx: Alone = async ({ hook, db, user, assistantMarks }, _, input) => {
  const { spawnSync } = await import('node:child_process');
  const { homedir } = await import('node:os');
  const given = { LIMBIC_USER: user ?? '', LIMBIC_ASSISTANT_MARKS: assistantMarks ? '1' : '' };
  const { error, status } = spawnSync('npx', ['-y', LIMBIC_PACKAGE, 'hook', hook], {
    cwd: homedir(),
    env: { ...process.env, LIMBIC_DB: resolve(db), ...(process.argv.length > OPTIONS_START ? given : {}) },
    input,
    stdio: ['pipe', 'inherit', 'inherit'],
    // On Windows npx is a script, which only a shell starts.
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`npx -y ${LIMBIC_PACKAGE} ended with ${status}`);
  return undefined;
};

void runHookProgram(byNpx);
