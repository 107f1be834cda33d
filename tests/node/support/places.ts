/** Paths of the parts under test. The bundled tests run from tests/out/node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the npm package. */
export const PACKAGE = fileURLToPath(new URL('../../../node/', import.meta.url));
/** The program that users start. */
export const SERVER = join(PACKAGE, 'dist', 'main.js');
/** The program of the hooks of an installed package. */
export const HOOK = join(PACKAGE, 'dist', 'hook.cjs');

/** The builds of the server. */
export type Program = 'node' | 'native';
export const PROGRAMS: readonly Program[] = ['node', 'native'];

/**
 * The command that starts a server, before its arguments. `cargo xtask test` builds the native one before these tests.
 */
export function commandOf(program: Program): [command: string, ...first: string[]] {
  if (program === 'node') return [process.execPath, SERVER];
  const name = process.platform === 'win32' ? 'limbic.exe' : 'limbic';
  const target = process.env['CARGO_TARGET_DIR'] ?? 'target';
  return [resolve(PACKAGE, '..', target, 'debug', name), 'serve'];
}

const folders: string[] = [];

/** Creates a folder that is deleted after all tests of the file, since a server may write to it until then. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limbic-test-'));
  folders.push(folder);
  return folder;
}

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
