/** `hook.cjs`, the program that `hook install` of an installed package writes to the settings. */
import { runHookProgram } from './hook-program.ts';

void runHookProgram(async (run, call) => (await import('./commands.js')).runHookHere(run, call));
