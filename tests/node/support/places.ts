/** Where the parts under test lie. The bundled tests run from tests/out/node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the npm package. */
export const PACKAGE = fileURLToPath(new URL('../../../node/', import.meta.url));
/** The program that users start. */
export const SERVER = join(PACKAGE, 'dist', 'main.js');

const folders: string[] = [];

/** A folder that is gone when all tests of the file are over: until then a server may still be writing into it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limbic-test-'));
  folders.push(folder);
  return folder;
}

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
