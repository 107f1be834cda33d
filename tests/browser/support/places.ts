/** Paths of the repository, the built page, the built server and the screenshots. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The built page. `LIMBIC_PAGE` names another. */
export const PAGE = built(
  process.env['LIMBIC_PAGE'] ?? join(ROOT, 'web', 'dist'),
  'index.html',
  'npm run build in web/',
);

/** The built modules. `LIMBIC_PKG` names others. */
export const PKG = built(process.env['LIMBIC_PKG'] ?? join(ROOT, 'pkg'), 'core/limbic_core.js', 'cargo xtask build');

/** The built server with the page in it. `LIMBIC_SERVER` names another. */
export function server(): string {
  return built(process.env['LIMBIC_SERVER'] ?? join(ROOT, 'node', 'dist'), 'main.js', 'cargo xtask build');
}

/** The native program, if it was built. `LIMBIC_NATIVE` names one that must be there. */
export const NATIVE = nativeProgram();

/** The address of a memory in PostgreSQL for tests, to which a name can be appended; `cargo xtask test` sets it. */
export const STORE = process.env['LIMBIC_TEST_STORE'];

/** The folder for files that a person may inspect after the run. */
export const OUT = join(ROOT, 'tests', 'out', 'browser');
mkdirSync(OUT, { recursive: true });

/** A folder for the screenshots of one file of tests. */
export function screenshotFolder(name: string): string {
  const folder = join(OUT, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Creates a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limbic-browser-'));
  temporary.push(folder);
  return folder;
}

const temporary: string[] = [];
// The first hook of a file is the last to run: browsers and servers have ended by then.
afterAll(() => {
  for (const folder of temporary.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

function nativeProgram(): string | undefined {
  const named = process.env['LIMBIC_NATIVE'];
  const path = named ?? join(ROOT, 'target', 'debug', process.platform === 'win32' ? 'limbic.exe' : 'limbic');
  if (existsSync(path)) return path;
  if (named !== undefined) throw new Error(`${path} is missing: run cargo build --bin limbic`);
  return undefined;
}

function built(folder: string, file: string, how: string): string {
  if (!existsSync(join(folder, file))) throw new Error(`${folder}/${file} is missing: run ${how}`);
  return folder;
}
