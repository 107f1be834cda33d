/** Runs `limbic-memory` with a command that ends by itself. */
import { spawnSync } from 'node:child_process';
import { SERVER } from './places.ts';

/** How a run ended, and what it printed. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The settings of a run beside its arguments. */
export interface RunSetting {
  /** Standard input; by default empty. */
  readonly input?: string;
  readonly cwd?: string;
  /** The program; by default that of the package. */
  readonly program?: string;
  /** Variables beside those of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Bytes of output that a run may print: an exported page has some megabytes. */
const MAX_OUTPUT = 1e9;

export function run(args: readonly string[], { input = '', cwd, program = SERVER, env = {} }: RunSetting = {}): Ran {
  return spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    input,
    cwd,
    env: { ...process.env, ...env },
    maxBuffer: MAX_OUTPUT,
  });
}
