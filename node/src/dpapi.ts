/**
 * Secrets on Windows, which has no program that keeps them: files that DPAPI encrypts for the user's account, through
 * PowerShell. The scripts are constant; secrets are passed on standard input and output.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, win32 } from 'node:path';
import { createFileHost } from './file-host.ts';
import { failed, missing, run } from './keychain-program.ts';
import type { Keychain } from './keychain-types.ts';
import { defaultDatabase } from './paths.ts';

/**
 * PowerShell, on Windows by its path: a name alone is searched for in the current directory first, which may be a
 * project of somebody else.
 */
export function powershell(platform: string = process.platform, root = process.env['SystemRoot']): string {
  if (platform !== 'win32') return 'powershell';
  const folder = root === undefined || root === '' ? 'C:\\Windows' : root;
  return win32.join(folder, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
}

/** A script without double quotes, which the command line of Windows would need to escape. */
function script(...lines: readonly string[]): readonly string[] {
  const all = [
    "$ErrorActionPreference = 'Stop'",
    'Add-Type -AssemblyName System.Security',
    '$text = [Console]::In.ReadToEnd().Trim()',
    '$scope = [Security.Cryptography.DataProtectionScope]::CurrentUser',
    "$entropy = [Text.Encoding]::UTF8.GetBytes('limbic-memory')",
    ...lines,
  ];
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', all.join('; ')];
}

const PROTECT = script(
  '$bytes = [Text.Encoding]::UTF8.GetBytes($text)',
  '$sealed = [Security.Cryptography.ProtectedData]::Protect($bytes, $entropy, $scope)',
  '[Console]::Out.Write([Convert]::ToBase64String($sealed))',
);
const UNPROTECT = script(
  '$sealed = [Convert]::FromBase64String($text)',
  '$bytes = [Security.Cryptography.ProtectedData]::Unprotect($sealed, $entropy, $scope)',
  '[Console]::Out.Write([Text.Encoding]::UTF8.GetString($bytes))',
);

/** The keychain of Windows, with its files in `folder`. */
export function dpapi(folder = join(dirname(defaultDatabase(process.env)), 'keys')): Keychain {
  // Paths contain characters that a file name cannot have.
  const fileOf = (account: string): string =>
    join(folder, `${createHash('sha256').update(account).digest('hex')}.dpapi`);
  const find = (account: string): string | undefined => {
    const file = fileOf(account);
    return existsSync(file) ? converted(UNPROTECT, readFileSync(file, 'utf8')) : undefined;
  };
  return {
    exists: () => run(powershell(), ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', 'exit']) !== undefined,
    find,
    store(account, secret) {
      const sealed = converted(PROTECT, secret);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        const opened = openSync(temporary, 'wx', 0o600);
        try {
          writeFileSync(opened, `${sealed}\n`);
          fsyncSync(opened);
        } finally {
          closeSync(opened);
        }
        if (converted(UNPROTECT, readFileSync(temporary, 'utf8')) !== secret) {
          throw failed('what was stored was read back with another content');
        }
        renameSync(temporary, fileOf(account));
        createFileHost().syncFolder(folder);
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    forget: (account) => rmSync(fileOf(account), { force: true }),
    place: (account) => `the file ${fileOf(account)}, which this user of Windows alone can decrypt,`,
    removal: (account) => `delete ${fileOf(account)}`,
  };
}

function converted(args: readonly string[], text: string): string {
  const done = run(powershell(), args, text);
  if (done === undefined) throw missing();
  // What PowerShell complains of may repeat its input.
  if (done.status !== 0) throw failed(`powershell ended with ${done.status ?? done.signal}`);
  const result = done.stdout.trim();
  if (result === '') throw failed('powershell returned nothing');
  return result;
}
