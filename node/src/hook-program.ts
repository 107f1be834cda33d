/**
 * The programs of hooks, `hook.cjs` of the package and that of the plugin. Both are one small file for `require`, which
 * Node starts faster than an ES module, and load what only a hook without a server needs when they need it.
 */
import { textOf } from 'limbic-shell/failure.ts';
import { type Alone, runHook } from './hook.ts';
import { readHookOptions } from './hook-options.ts';
import { ignoreErrorsOfLog, log } from './log.ts';

/** Runs the hook that the arguments name. `alone` runs it if no server answers. Never rejects. */
export async function runHookProgram(alone: Alone): Promise<void> {
  const fail = (error: unknown): never => {
    ignoreErrorsOfLog();
    log(`the hook did nothing: ${textOf(error)}`);
    // Any other exit code would stop the host's session or block the tool.
    process.exit(0);
  };
  process.on('uncaughtException', fail);
  try {
    const run = readHookOptions(process.argv.slice(2), process.env);
    if (run?.kind !== 'run') throw new Error('expected the name of a hook');
    await runHook(run, alone);
  } catch (error) {
    fail(error);
  }
}
