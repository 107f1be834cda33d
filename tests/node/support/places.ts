/** Paths of the parts under test. The bundled tests run from tests/out/node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the npm package. */
export const PACKAGE = fileURLToPath(new URL('../../../node/', import.meta.url));
/** The program that users start. */
export const SERVER = join(PACKAGE, 'dist', 'main.js');

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
