/** Programs of the system that keep secrets. Secrets are passed on standard input and output only. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { childEnvironment } from './child-environment.ts';
import { UsageError } from './usage.ts';

/** Runs a program; `undefined` if there is none of this name. */
export function run(program: string, args: readonly string[], input = ''): SpawnSyncReturns<string> | undefined {
  const done = spawnSync(program, args, { input, encoding: 'utf8', windowsHide: true, env: childEnvironment() });
  const reason = done.error as NodeJS.ErrnoException | undefined;
  if (reason?.code === 'ENOENT') return undefined;
  if (reason !== undefined && reason.code !== 'EPIPE') throw failed(reason.message);
  return done;
}

/** The error of a keychain that is there and cannot be used. */
export function failed(reason: string): UsageError {
  return new UsageError(
    `the keychain cannot be used (${reason}): unlock it, or name a file for the key with LIMBIC_KEY_FILE`,
  );
}

/** The error if there is none. */
export function missing(): UsageError {
  return new UsageError(
    'there is no keychain (macOS: security; Windows: powershell; elsewhere secret-tool of libsecret): name a file for ' +
      'the key with LIMBIC_KEY_FILE',
  );
}
