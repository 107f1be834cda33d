/** Runs the bundled tests. Further arguments go to Node's test runner, e.g. `--test-name-pattern=trap`. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const out = fileURLToPath(new URL('../tests/out/node/', import.meta.url));
const files = readdirSync(out)
  .filter((name) => name.endsWith('.test.js'))
  .sort();
const args = ['--test', ...process.argv.slice(2), ...files.map((name) => join(out, name))];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exit(status ?? 1);
