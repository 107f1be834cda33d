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

/** Paths of crates in the messages of panics that a module contains. */
const CRATE_PATH = /registry[\\/]src[\\/][^\\/]+[\\/]([\w-]+)-(\d+\.\d+\.\d+[^\\/]*)[\\/]/g;
const NPM_PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;
const ROOT = join(PACKAGE, '..');

test('the code index adds less than 4 MB to the package', () => {
  const parts = ['limbic_code.wasm', 'model/subwords.bin'];
  const sizes = parts.map((part) => gzipSync(readFileSync(join(PACKAGE, 'dist', part)), { level: 9 }).length);
  const sum = sizes.reduce((a, b) => a + b);
  assert.ok(sum < MAX_CODE_INDEX_BYTES, `${parts.join(' and ')} have ${sizes.join(' and ')} bytes, compressed`);
});

/** The headings of a kind in notices, in order. */
function headings(path: string, kind: 'npm' | 'cargo'): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`## ${kind}: `)).sort();
}

function json(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

test('one oldest version of Node is named everywhere', () => {
  const text = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
  const { engines } = JSON.parse(text('node', 'package.json')) as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  const lock = JSON.parse(text('node', 'package-lock.json')) as { packages: { '': { engines: unknown } } };
  assert.deepEqual(lock.packages[''].engines, engines);
  for (const path of [['README.md'], ['CONTRIBUTING.md'], ['node', 'README.md']]) {
    const named = [...text(...path).matchAll(/Node ([\d.]+) or later/g)].map(([, version]) => version);
    assert.deepEqual(named, [oldest], path.join('/'));
  }
  const built = ['build.mjs', 'clients.mjs'].map((name) => text('node', name));
  for (const script of built) assert.match(script, new RegExp(`target: 'node${oldest}'`));
  assert.ok(built[1]?.includes(`runtimes: { node: '${engines.node}' }`));
});

test('the notices name every npm package in the bundles, and no other', () => {
  const modules = JSON.parse(readFileSync(join(ROOT, 'tests/out/bundled-modules.json'), 'utf8')) as string[];
  const folders = new Set(modules.flatMap((module) => NPM_PACKAGE.exec(module)?.[0] ?? []));
  const expected = [...folders].map((folder) => {
    const { name, version, license } = json(join(folder, 'package.json'));
    return `## npm: ${name} ${version} (${license})`;
  });
  assert.ok(expected.length > 0);
  assert.deepEqual(headings(join(PACKAGE, 'dist/THIRD_PARTY_NOTICES.txt'), 'npm'), expected.sort());
});

test('the notices of the page name everything that the explorer depends on', () => {
  const ofPage = headings(join(PACKAGE, 'dist/ui/THIRD_PARTY_NOTICES.txt'), 'npm').join('\n');
  const { packages } = json(join(ROOT, 'web/package-lock.json')) as {
    packages: Record<string, { version: string; license: string; dependencies?: Record<string, string> }>;
  };
  const names = Object.keys(packages['']?.dependencies ?? {});
  assert.ok(names.includes('react'), 'the lock file is read');
  for (const name of names) {
    const { version, license } = packages[`node_modules/${name}`] ?? {};
    assert.ok(ofPage.includes(`## npm: ${name} ${version} (${license})`), `${name} ${version}: ${ofPage}`);
  }
});

test('the notices name every crate in the modules', () => {
  const listed = headings(join(ROOT, 'pkg/third-party-crates.txt'), 'cargo');
  const found = new Set<string>();
  for (const module of readdirSync(join(PACKAGE, 'dist')).filter((name) => name.endsWith('.wasm'))) {
    const paths = [...readFileSync(join(PACKAGE, 'dist', module), 'latin1').matchAll(CRATE_PATH)];
    assert.ok(paths.length > 0, `paths of crates in ${module}`);
    for (const [, name, version] of paths) found.add(`## cargo: ${name} ${version} (`);
  }
  for (const folder of ['dist', 'dist/ui']) {
    const notices = readFileSync(join(PACKAGE, folder, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    assert.ok(notices.includes(readFileSync(join(ROOT, 'NOTICE'), 'utf8')), folder);
    for (const author of ['The Rust Project Contributors', 'Alex Garcia', 'Damien Guard', 'Rob Rix']) {
      assert.ok(notices.includes(author), `${folder}: the licence of ${author}'s code`);
    }
    const crates = headings(join(PACKAGE, folder, 'THIRD_PARTY_NOTICES.txt'), 'cargo');
    assert.deepEqual(crates, listed, folder);
    const missing = [...found].filter((heading) => !crates.some((line) => line.startsWith(heading)));
    assert.deepEqual(missing, [], folder);
  }
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
    'hook.cjs',
    'hook-by-npx.cjs',
    'limbic_code.wasm',
    'limbic_code_more.wasm',
    'empty.db',
    'model/model.onnx',
    'model/subwords.bin',
    'model/LICENSE',
    'THIRD_PARTY_NOTICES.txt',
    'ui/THIRD_PARTY_NOTICES.txt',
  ]) {
    assert.ok(
      files.some((name) => name.replaceAll('\\', '/').endsWith(`dist/${file}`)),
      file,
    );
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
