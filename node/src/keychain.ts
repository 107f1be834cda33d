/**
 * The keychain of the system, through its own programs: `security` on macOS, `secret-tool` elsewhere. Keys are passed on
 * standard input and output only, because others can see the arguments of a program.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { UsageError } from './usage.ts';

const SERVICE = 'limbic-memory';
const IS_MAC = process.platform === 'darwin';
const PROGRAM = IS_MAC ? 'security' : 'secret-tool';
/** The exit code of `security` if there is no such item. */
const NO_ITEM = 44;

/** The secret of an account; `undefined` if there is none, or there is no keychain. */
export function find(account: string): string | undefined {
  const found = run(
    IS_MAC
      ? ['find-generic-password', '-s', SERVICE, '-a', account, '-w']
      : ['lookup', 'service', SERVICE, 'database', account],
  );
  if (found === undefined) return undefined;
  const [text, complaint] = [found.stdout.trim(), found.stderr.trim()];
  if (found.status === 0) return text === '' ? undefined : text;
  // secret-tool says nothing if there is no such item.
  if (IS_MAC ? found.status === NO_ITEM : complaint === '') return undefined;
  throw failed(complaint);
}

/** Whether there is a keychain. It may be locked. */
export function exists(): boolean {
  return run([]) !== undefined;
}

/** Stores the secret of an account, in place of an earlier one, and reads it back. */
export function store(account: string, secret: string): void {
  if (IS_MAC && /["\\\n]/.test(account)) {
    throw new UsageError('the path of the database contains characters that the keychain does not take');
  }
  const stored = IS_MAC
    ? run(['-i'], `add-generic-password -U -s ${SERVICE} -a "${account}" -w ${secret}\n`)
    : run(['store', `--label=Limbic: ${account}`, 'service', SERVICE, 'database', account], secret);
  if (stored === undefined) {
    throw new UsageError(
      'there is no keychain (macOS: security; elsewhere secret-tool of libsecret): name a file for the key with LIMBIC_KEY_FILE',
    );
  }
  if (stored.status !== 0 || find(account) !== secret) throw failed(stored.stderr.trim());
}

/** Removes the secret of an account, if there is one. */
export function forget(account: string): void {
  run(
    IS_MAC
      ? ['delete-generic-password', '-s', SERVICE, '-a', account]
      : ['clear', 'service', SERVICE, 'database', account],
  );
}

/** Runs the program of the keychain; `undefined` if there is none. */
function run(args: readonly string[], input = ''): SpawnSyncReturns<string> | undefined {
  const done = spawnSync(PROGRAM, args, { input, encoding: 'utf8', windowsHide: true });
  const reason = done.error as NodeJS.ErrnoException | undefined;
  if (reason?.code === 'ENOENT') return undefined;
  if (reason !== undefined && reason.code !== 'EPIPE') throw failed(reason.message);
  return done;
}

function failed(reason: string): UsageError {
  return new UsageError(
    `the keychain cannot be used (${reason}): unlock it, or name a file for the key with LIMBIC_KEY_FILE`,
  );
}
