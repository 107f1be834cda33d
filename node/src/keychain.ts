/**
 * The keychain of the system, through its own programs: `security` on macOS, PowerShell on Windows, `secret-tool`
 * elsewhere. Keys are passed on standard input and output only, because others can see the arguments of a program.
 */
import { dpapi } from './dpapi.ts';
import { failed, missing, run } from './keychain-program.ts';
import type { Keychain } from './keychain-types.ts';
import { UsageError } from './usage.ts';

const SERVICE = 'limbic-memory';
/** The exit code of `security` if there is no such item. */
const NO_ITEM = 44;

/** The keychain of a system; default: this one. */
export function keychainOf(platform: string = process.platform): Keychain {
  if (platform === 'win32') return dpapi();
  return platform === 'darwin' ? MACOS : LIBSECRET;
}

const MACOS: Keychain = {
  exists: () => run('security', ['help']) !== undefined,
  find(account) {
    const found = run('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w']);
    return found?.status === NO_ITEM ? undefined : textOf(found);
  },
  store(account, secret) {
    if (/["\\\n]/.test(account)) {
      throw new UsageError('the path of the database contains characters that the keychain does not take');
    }
    const command = `add-generic-password -U -s ${SERVICE} -a "${account}" -w ${secret}\n`;
    checkStored(MACOS, account, secret, run('security', ['-i'], command));
  },
  forget: (account) => void run('security', ['delete-generic-password', '-s', SERVICE, '-a', account]),
  place: (account) => `the keychain as ${account}`,
  removal: (account) => `security delete-generic-password -s ${SERVICE} -a '${account}'`,
};

const LIBSECRET: Keychain = {
  exists: () => run('secret-tool', []) !== undefined,
  find(account) {
    const found = run('secret-tool', ['lookup', 'service', SERVICE, 'database', account]);
    // secret-tool says nothing if there is no such item.
    return found?.status === 1 && found.stderr.trim() === '' ? undefined : textOf(found);
  },
  store(account, secret) {
    const args = ['store', `--label=Limbic: ${account}`, 'service', SERVICE, 'database', account];
    checkStored(LIBSECRET, account, secret, run('secret-tool', args, secret));
  },
  forget: (account) => void run('secret-tool', ['clear', 'service', SERVICE, 'database', account]),
  place: (account) => `the keychain as ${account}`,
  removal: (account) => `secret-tool clear service ${SERVICE} database '${account}'`,
};

type Done = ReturnType<typeof run>;

/** Returns the output of a program; `undefined` if there is no such program, or it found nothing. */
function textOf(found: Done): string | undefined {
  if (found === undefined) return undefined;
  if (found.status !== 0) throw failed(reasonOf(found));
  const text = found.stdout.trim();
  return text === '' ? undefined : text;
}

/** Returns the error message of a program, or how it ended. */
function reasonOf({ stderr, status, signal }: NonNullable<Done>): string {
  const complaint = stderr.trim();
  return complaint === '' ? `the program ended with ${status ?? signal}` : complaint;
}

function checkStored(keychain: Keychain, account: string, secret: string, stored: Done): void {
  if (stored === undefined) throw missing();
  if (stored.status !== 0 || keychain.find(account) !== secret) throw failed(reasonOf(stored));
}
