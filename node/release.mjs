/**
 * Writes, validates and tests the files of a release, in release/: the npm package, limbic-memory.mcpb for desktop
 * clients and server.json for the MCP registry. The plugin and the README's links are written in place.
 *
 * `--write` writes the plugin, server.json and the links only. `--check` fails if they are out of date, and writes
 * nothing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { bundleManifest, HOOK_PATH, hookProgram, installLines, pluginFiles, registryEntry } from './clients.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(here, 'release');
const README = join(here, '..', 'README.md');
const [START, END] = ['<!-- install -->', '<!-- /install -->'];
/** The official packer of bundles. */
const MCPB = '@anthropic-ai/mcpb@2.1.2';
const args = process.argv.slice(2);

/** Every written file: path, text. */
async function writtenFiles() {
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  const plugin = Object.entries(await pluginFiles()).map(([path, value]) => [join(here, 'plugin', path), json(value)]);
  const readme = readFileSync(README, 'utf8');
  const [before, after] = [readme.indexOf(START), readme.indexOf(END)];
  if (before === -1 || after < before) throw new Error(`README.md needs the lines ${START} and ${END}`);
  const linked = [readme.slice(0, before + START.length), ...installLines(), readme.slice(after)].join('\n');
  plugin.push([join(here, 'plugin', HOOK_PATH), (await hookProgram()).text]);
  return [...plugin, [join(here, 'server.json'), json(registryEntry())], [README, linked]];
}

function run(command, commandArgs, options = {}) {
  const { status, error } = spawnSync(command, commandArgs, {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${commandArgs.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

/** Problems of server.json by the rules of its schema and of the registry. */
function registryProblems({ name, description, version, packages }, { name: packageName, mcpName }) {
  return [
    !/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name) && `the name ${name} is not of the form namespace/name`,
    name !== mcpName && 'the name is not the mcpName of package.json',
    description.length > 100 && `the description has ${description.length} characters, at most 100 are allowed`,
    !/^\d+\.\d+\.\d+/.test(version) && `the version ${version} is none`,
    packages.some((it) => it.identifier !== packageName || it.version !== version) && 'a package is another one',
  ].filter(Boolean);
}

/** Starts a server, lists its tools and ends it. */
async function tryServer(command, commandArgs, folder) {
  const child = spawn(command, [...commandArgs, '--db', join(folder, 'memory.db'), '--no-model'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the server ended before it answered ${method}`);
    return JSON.parse(value).result;
  };
  const clientInfo = { name: 'release', version: '0' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = await ask(2, 'tools/list', {});
  const stored = await ask(3, 'tools/call', { name: 'memory_store', arguments: { content: 'A release is tested' } });
  child.stdin.end();
  const code = await ended;
  if (tools.length === 0 || stored.isError || code !== 0) throw new Error('the packed server does not work');
  return tools.length;
}

/** The icon of the bundle, a PNG of one colour with a lighter square. */
function icon(size = 512) {
  const row = (y) => {
    const bytes = [0];
    for (let x = 0; x < size; x++) {
      const isInner = [x, y].every((at) => at > size / 4 && at < (size * 3) / 4);
      bytes.push(...(isInner ? [0xf2, 0xe9, 0xdc] : [0x2b, 0x3a, 0x4f]));
    }
    return Buffer.from(bytes);
  };
  const table = Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  const crc = (bytes) => ~bytes.reduce((sum, byte) => table[(sum ^ byte) & 255] ^ (sum >>> 8), -1) >>> 0;
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, (_, y) => row(y))));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** Packs the npm package, installs it elsewhere without a network and starts it. */
async function releasePackage({ name, version }, folder) {
  run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: here });
  const packed = join(out, `${name}-${version}.tgz`);
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--prefix', folder, packed]);
  const main = join(folder, 'node_modules', name, 'dist', 'main.js');
  console.log(`${name}-${version}.tgz: ${await tryServer(process.execPath, [main], folder)} tools`);
}

/** Packs the bundle for desktop clients, unpacks it and starts its server. */
async function releaseBundle({ name }, folder) {
  const staged = join(folder, 'bundle');
  cpSync(join(here, 'dist'), join(staged, 'server'), { recursive: true });
  writeFileSync(join(staged, 'server', 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(staged, 'manifest.json'), `${JSON.stringify(bundleManifest(), null, 2)}\n`);
  writeFileSync(join(staged, 'icon.png'), icon());
  const packed = join(out, `${name}.mcpb`);
  run('npx', ['--yes', MCPB, 'validate', join(staged, 'manifest.json')]);
  run('npx', ['--yes', MCPB, 'pack', staged, packed]);
  const unpacked = join(folder, 'unpacked');
  run('npx', ['--yes', MCPB, 'unpack', packed, unpacked]);
  const main = join(unpacked, 'server', 'main.js');
  console.log(`${name}.mcpb: ${await tryServer(process.execPath, [main], folder)} tools`);
}

const files = await writtenFiles();
const stale = files.filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
const described = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const problems = registryProblems(registryEntry(), described);
if (args.includes('--check'))
  problems.push(...stale.map(([path]) => `${path} is out of date: node release.mjs --write`));
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
if (!args.includes('--check')) {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`written: ${path}`);
  }
}
if (!args.includes('--check') && !args.includes('--write')) {
  const folder = mkdtempSync(join(tmpdir(), 'limbic-release-'));
  try {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
    await releasePackage(described, folder);
    await releaseBundle(described, folder);
    cpSync(join(here, 'server.json'), join(out, 'server.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
