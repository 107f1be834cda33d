import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type ResolvedConfig } from 'vite';
import type { BuildFile, BuildList, LaterFiles } from '../src/offline/build-list.ts';
import { smallGzip } from './gzip.ts';
import { laterPaths } from './later-files.ts';

const SCRIPT = fileURLToPath(new URL('../src/offline/service-worker.ts', import.meta.url));
/** Assets that workers cache themselves, the core first. */
const PARTS = [
  /^assets\/core-[^.]*\.bin$/,
  /^assets\/limbic_encoder_bg-.*\.wasm$/,
  /^assets\/model-.*\.onnx$/,
  /^assets\/tokenizer-.*\.json$/,
];
/** Files that are not cached: those of the page of a server or of opened source code, and the licences. */
const NOT_KEPT = [
  ...PARTS,
  /^assets\/(server-source|projects|highlight-source|symbol-inspector|code-worker)-/,
  /^assets\/code-.*\.bin$/,
  /^service-worker\.js$/,
  /^THIRD_PARTY_NOTICES\.txt$/,
];

/** Writes `service-worker.js` with the list of the build's files and their hashes. */
export function serviceWorker(): Plugin {
  let config: ResolvedConfig;
  let later: ReadonlySet<string> = new Set();
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved: (resolved) => {
      config = resolved;
    },
    generateBundle: (_options, bundle) => {
      later = laterPaths(bundle);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const folder = resolve(config.root, config.build.outDir);
        await build({
          configFile: false,
          logLevel: 'warn',
          publicDir: false,
          define: { LIMBIC_BUILD: JSON.stringify(await listOf(folder, later)) },
          build: {
            outDir: folder,
            emptyOutDir: false,
            target: 'es2022',
            lib: { entry: SCRIPT, formats: ['iife'], name: 'serviceWorker', fileName: () => 'service-worker.js' },
          },
        });
      },
    },
  };
}

async function listOf(folder: string, later: ReadonlySet<string>): Promise<BuildList> {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const names = all.filter((name) => !NOT_KEPT.some((pattern) => pattern.test(name)));
  const parts = PARTS.flatMap((pattern) => all.filter((name) => pattern.test(name)));
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const [, entry] = /<script type="module"[^>]* src="\.\/([^"]+)"/.exec(page) ?? [];
  if (entry === undefined) throw new Error('index.html has no script to start with');
  const hashes = names.map((name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('base64'),
  );
  const files = names.map((name, index): BuildFile => {
    if (name === 'index.html') return { path: './' };
    return { path: name, sha256: hashes[index], ...(later.has(name) ? { isLater: true } : {}) };
  });
  const version = createHash('sha256')
    .update(JSON.stringify([names, hashes, parts]))
    .digest('hex')
    .slice(0, 16);
  return {
    version,
    entry,
    files,
    parts,
    later: await pack(
      folder,
      names.filter((name) => later.has(name)),
    ),
  };
}

/** Writes the files into one compressed file. Returns its path. */
async function pack(folder: string, names: readonly string[]): Promise<string> {
  const texts: LaterFiles = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const bytes = await smallGzip(new TextEncoder().encode(JSON.stringify(texts)));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const path = `assets/later-${hash}.bin`;
  writeFileSync(join(folder, path), bytes);
  return path;
}
