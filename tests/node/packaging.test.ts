import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { entities, eventually, Session } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const MAX_PACKED_BYTES = 40 * 1024 * 1024;
/** Maximum of what the code index adds to the package, compressed, without the module of further languages. */
const MAX_CODE_INDEX_BYTES = 4_000_000;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';

test('the code index adds less than 4 MB to the package', () => {
  const parts = ['limbic_code.wasm', 'model/subwords.bin'];
  const sizes = parts.map((part) => gzipSync(readFileSync(join(PACKAGE, 'dist', part)), { level: 9 }).length);
  const sum = sizes.reduce((a, b) => a + b);
  assert.ok(sum < MAX_CODE_INDEX_BYTES, `${parts.join(' and ')} have ${sizes.join(' and ')} bytes, compressed`);
});

test('the package installs into an empty folder without network and works there', async (t) => {
  const folder = temporaryFolder();
  const run = (command: string, args: string[], cwd: string): string =>
    execFileSync(command, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });

  const [packed] = JSON.parse(run(npm, ['pack', '--json', '--pack-destination', folder], PACKAGE)) as {
    filename: string;
    files: { path: string }[];
  }[];
  assert.ok(packed);
  const tarball = join(folder, packed.filename);
  assert.ok(statSync(tarball).size < MAX_PACKED_BYTES, `${statSync(tarball).size} bytes`);

  const home = join(folder, 'empty');
  mkdirSync(home);
  run(npm, ['install', '--offline', '--no-audit', '--no-fund', '--prefix', home, tarball], home);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    files.filter((name) => /\.node$|binding\.gyp$/.test(name)),
    [],
    'no native code',
  );
  assert.deepEqual(
    readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['limbic-memory'],
    'no dependencies',
  );
  for (const file of [
    'main.js',
    'limbic_code.wasm',
    'limbic_code_more.wasm',
    'empty.db',
    'model/model.onnx',
    'model/subwords.bin',
    'model/LICENSE',
  ]) {
    assert.ok(
      files.some((name) => name.replaceAll('\\', '/').endsWith(`dist/${file}`)),
      file,
    );
  }

  const notices = readFileSync(join(home, 'node_modules/limbic-memory/dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
  for (const name of ['cargo: rusqlite', 'cargo: tract-onnx', 'cargo: tree-sitter', 'npm: @modelcontextprotocol/']) {
    assert.ok(notices.includes(`## ${name}`), `the licence of ${name} goes along`);
  }
  const ofPage = readFileSync(join(home, 'node_modules/limbic-memory/dist/ui/THIRD_PARTY_NOTICES.txt'), 'utf8');
  for (const name of ['npm: react-dom', 'npm: sigma', 'npm: d3-force']) {
    assert.ok(ofPage.includes(`## ${name}`), `the licence of ${name} goes along with the page`);
  }

  const transport = new StdioClientTransport({
    command: npx,
    args: ['--offline', 'limbic-memory', '--db', join(folder, 'memory.db')],
    cwd: home,
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'limbic-tests', version: '1.0.0' });
  const session = new Session(client, transport);
  t.after(() => session.leave());
  await client.connect(transport);
  assert.ok((await client.listTools()).tools.length > 0);
  await session.ask('create_entities', entities('Ada', 'Grace'));
  await eventually(
    'it is found by meaning',
    async () => {
      const found = await session.ask('search_semantic', { query: 'Ada' });
      const [first] = found['results'] as { name: string }[];
      return found['mode'] === 'hybrid' && found['pending_embeddings'] === 0 && first?.name === 'Ada';
    },
    60_000,
  );
});
