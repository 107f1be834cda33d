/**
 * Builds the package: checks the types, bundles, copies the modules, the tool list, the empty database and the model
 * from ../pkg into dist/.
 *
 * `--tests` bundles the tests into ../tests/out/node as well. `--no-check` leaves out the type check.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { NOTICES_FILE, thirdPartyNotices } from '../web/build/third-party.mjs';
import { hookProgram } from './clients.mjs';
import { smallSdk } from './small-sdk.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');
const pkg = join(root, 'pkg');
const dist = join(here, 'dist');
const testOut = join(root, 'tests', 'out', 'node');
const tests = join(root, 'tests', 'node');
/** The modules that the package contains, for the test of its licences. */
const modulesOut = join(root, 'tests', 'out', 'bundled-modules.json');
/** The protocol's conformance tests. They need a newer Node than this package, but only for parts that are not used. */
const conformance = join(here, 'node_modules', '@modelcontextprotocol', 'conformance');
const conformanceOut = join(root, 'tests', 'out', 'conformance');
const args = process.argv.slice(2);

/** The files copied from pkg/ to dist/: source, then name. A `?` marks files that may be missing. */
const COPIES = [
  ['core/limbic_core_bg.wasm', 'limbic_core_bg.wasm'],
  ['encoder/limbic_encoder_bg.wasm', 'limbic_encoder_bg.wasm'],
  ['code/limbic_code.wasm', 'limbic_code.wasm'],
  ['code-more/limbic_code_more.wasm', 'limbic_code_more.wasm'],
  ['tools.json', 'tools.json'],
  ['empty.db', 'empty.db'],
  ['model', 'model'],
];

/** The types of the library: source, then name. */
const TYPES = [
  [join(here, 'src', 'library-types.ts'), 'index.d.ts'],
  [join(here, 'src', 'memory-tool-types.ts'), 'memory-tool.d.ts'],
  [join(here, 'src', 'langgraph-types.ts'), 'langgraph.d.ts'],
  [join(pkg, 'types.ts'), 'types.d.ts'],
];

/** Documents that npm includes from the package's own folder. */
const PAGES = ['LICENSE', 'NOTICE'];

/** The explorer, if it has been built. Without it `--ui` reports how to get it. */
const EXPLORER = join(root, 'web', 'dist');

/** The page of `export --html`, if it has been built. Without it the export reports how to get it. */
const STANDALONE = join(EXPLORER, 'standalone.html');

/**
 * The page for hosts of MCP Apps, where it has been built. Without it the server does not offer the tool with the page.
 */
const MCP_APP = join(EXPLORER, 'mcp-app.html');

/**
 * Files of the page that are needed only without a server: core, encoder, model, service worker, and the pages of
 * exports and hosts.
 */
const ALONE =
  /\.(wasm|bin|onnx)$|[\\/]tokenizer-[^\\/]+\.json$|[\\/]sw\.js$|[\\/]sample-|[\\/](standalone|mcp-app)\.html$/;

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.3',
  format: 'esm',
  alias: { 'limbic-pkg': pkg, 'limbic-shell': join(root, 'crates', 'wasm', 'js') },
  nodePaths: [join(here, 'node_modules')],
  logLevel: 'warning',
};

function checkTypes(project) {
  const tsc = join(here, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', project], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

async function bundlePackage() {
  const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const options = {
    ...shared,
    outdir: dist,
    minify: true,
    define: { LIMBIC_VERSION: JSON.stringify(version) },
    plugins: [smallSdk],
    metafile: true,
  };
  const entry = (name) => ({ in: join(here, 'src', `${name}.ts`), out: name });
  const names = [
    'main',
    'export',
    'commands',
    'core-worker',
    'encoder-worker',
    'extraction-worker',
    'model-check',
    'memory-tool',
    'langgraph',
  ];
  const built = await Promise.all([
    // Server and export are loaded only when they are needed.
    esbuild.build({
      ...options,
      entryPoints: [...names.map(entry), { ...entry('library'), out: 'index' }],
      external: ['./server.js', './http.js', './export.js', './commands.js', '@langchain/langgraph-checkpoint'],
    }),
    // HTTP is loaded only when it is requested, and shares the protocol with the rest of the server.
    esbuild.build({
      ...options,
      entryPoints: ['server', 'http'].map(entry),
      splitting: true,
      chunkNames: 'shared-[hash]',
    }),
    // Node starts a file for `require` faster than an ES module.
    esbuild.build({
      ...options,
      entryPoints: [{ ...entry('hook-main'), out: 'hook' }],
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      external: ['./commands.js'],
      // Paths of the package's own files are needed in `commands.js` only.
      logOverride: { 'empty-import-meta': 'silent' },
    }),
  ]);
  chmodSync(join(dist, 'main.js'), 0o755);
  const byNpx = await hookProgram();
  writeFileSync(join(dist, 'hook-by-npx.cjs'), byNpx.text);
  // The metafile's paths are relative to the working directory.
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const modules = [...inputs, ...byNpx.modules].map((path) => resolve(path));
  writeFileSync(join(dist, NOTICES_FILE), thirdPartyNotices(modules));
  mkdirSync(dirname(modulesOut), { recursive: true });
  writeFileSync(modulesOut, JSON.stringify([...new Set(modules)].sort()));
}

function copyParts() {
  for (const [from, to] of COPIES) {
    const source = join(pkg, from);
    if (!existsSync(source)) {
      console.error(
        `${join('pkg', from)} is missing. Run \`cargo xtask build\` first: it makes what this package is built from.`,
      );
      process.exit(1);
    }
    cpSync(source, join(dist, to), { recursive: true });
  }
  for (const [source, name] of TYPES) {
    writeFileSync(join(dist, name), readFileSync(source, 'utf8').replaceAll("'limbic-pkg/types.ts'", "'./types.js'"));
  }
  if (existsSync(EXPLORER)) {
    cpSync(EXPLORER, join(dist, 'ui'), { recursive: true, filter: (file) => !ALONE.test(file) });
  }
  if (existsSync(STANDALONE)) cpSync(STANDALONE, join(dist, 'standalone.html'));
  if (existsSync(MCP_APP)) cpSync(MCP_APP, join(dist, 'mcp-app.html'));
  for (const page of PAGES) {
    if (existsSync(join(root, page))) cpSync(join(root, page), join(dist, page));
  }
}

async function bundleTests() {
  rmSync(testOut, { recursive: true, force: true });
  mkdirSync(testOut, { recursive: true });
  const files = readdirSync(tests).filter((name) => name.endsWith('.test.ts'));
  await esbuild.build({
    ...shared,
    // A thread that tests start is looked for beside them.
    entryPoints: [...files.map((name) => join(tests, name)), join(here, 'src', 'extraction-worker.ts')],
    entryNames: '[name]',
    outdir: testOut,
    sourcemap: 'inline',
    // Its paths name the declarations of packages.
    tsconfigRaw: {},
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  console.log(`${files.map((name) => basename(name, '.test.ts')).join(', ')}: bundled`);
}

async function bundleConformance() {
  const name = join('dist', 'index.js');
  cpSync(join(conformance, 'requirements'), join(conformanceOut, 'requirements'), { recursive: true });
  await esbuild.build({
    ...shared,
    entryPoints: [join(conformance, name)],
    outfile: join(conformanceOut, 'dist', 'index.mjs'),
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      {
        name: 'without-glob',
        setup(build) {
          build.onLoad({ filter: /conformance[\\/]dist[\\/]index\.js$/ }, ({ path }) => ({
            contents: readFileSync(path, 'utf8').replace('globSync as ', 'readdirSync as '),
          }));
        },
      },
    ],
  });
}

const checks = !args.includes('--no-check');
if (checks) checkTypes(here);
rmSync(dist, { recursive: true, force: true });
await bundlePackage();
copyParts();
if (args.includes('--tests')) {
  if (checks) checkTypes(tests);
  await bundleTests();
  await bundleConformance();
}
