/**
 * The worker that indexes source code: a core with a database of its own, which ends with the page, over the files of
 * folders that a person has opened.
 */
import { Core, initSync } from 'limbic-pkg/core/limbic_core.js';
import { failedBy, taken } from 'limbic-shell/answer.ts';
import { CodeModule } from 'limbic-shell/code-module.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { decompressed } from '../components/unpack.ts';
import type { CodeAssets, FromCode, ToCode } from './code-messages.ts';
import { fetchAsset } from './fetch-asset.ts';
import { MemoryFiles } from './memory-files.ts';
import type { Reply } from './messages.ts';
import { compilePacked } from './module.ts';
import { needsMore, projectPath, PROJECTS, type SourceFile, SourceFiles } from './source-files.ts';
import { holdLivenessLock } from './worker-liveness.ts';

interface Opened {
  readonly core: Core;
  readonly files: SourceFiles;
  readonly first: CodeModule;
  hasMore: boolean;
}

const TOOLSETS = ['code', 'explorer'];
/** Searches are by words and static vectors. */
const NO_ENCODINGS = new Uint8Array(0);

let assets: CodeAssets | undefined;
let opening: Promise<Opened> | undefined;
let isIndexing = false;
/** Messages are handled one after the other. */
let last: Promise<void> = Promise.resolve();

function readSync(blob: Blob): Uint8Array {
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
}

async function bytesOf(url: string): Promise<Uint8Array> {
  const response = decompressed(await fetchAsset(url), 'application/octet-stream');
  return new Uint8Array(await response.arrayBuffer());
}

async function load(url: string): Promise<CodeModule> {
  return CodeModule.load(await bytesOf(url));
}

async function open({ core, code, subwords }: CodeAssets): Promise<Opened> {
  const [module, first, table] = await Promise.all([compilePacked(core), load(code), bytesOf(subwords)]);
  initSync({ module });
  const files = new SourceFiles({ first, more: undefined }, table, readSync);
  const options = {
    path: MemoryFiles.path('code.db'),
    toolsets: TOOLSETS,
    code: true,
    codeRoot: PROJECTS,
    shell: 'page',
  };
  return { core: Core.open(new MemoryFiles(), JSON.stringify(options), files), files, first, hasMore: false };
}

function opened(): Promise<Opened> {
  if (assets === undefined) throw new Error('the worker was not started');
  opening ??= open(assets).catch((error: unknown) => {
    // The next message tries again: the page may have been offline.
    opening = undefined;
    throw error;
  });
  return opening;
}

async function add(name: string, added: readonly SourceFile[]): Promise<Reply> {
  const state = await opened();
  const { core, files, first } = state;
  if (!state.hasMore && assets !== undefined && added.some((file) => needsMore(first, file, readSync))) {
    files.parsers = { first, more: await load(assets.more) };
    state.hasMore = true;
  }
  files.put(name, added);
  const args = JSON.stringify({ path: projectPath(name), project_id: name });
  return taken(core.call('index_project', args, NO_ENCODINGS, undefined));
}

async function handle(message: ToCode): Promise<void> {
  if (message.type === 'start') return;
  const { id } = message;
  try {
    if (message.type === 'add') {
      post({ type: 'reply', id, reply: await add(message.name, message.files) });
    } else {
      const { core } = await opened();
      post({ type: 'reply', id, reply: taken(core.call(message.tool, message.args, NO_ENCODINGS, undefined)) });
      core.finish();
    }
  } catch (error) {
    if (knownFailure(error) === undefined) post({ type: 'trapped', reason: textOf(error) });
    else post({ type: 'reply', id, reply: failedBy(error) });
  }
  void index();
}

/** Indexes until nothing is left; messages are handled in between. */
async function index(): Promise<void> {
  if (isIndexing || opening === undefined) return;
  isIndexing = true;
  try {
    const { core } = await opening;
    do await turnOfLoop();
    while (core.index_step());
  } catch (error) {
    // A known failure is that of the next call, too.
    if (knownFailure(error) === undefined) post({ type: 'trapped', reason: textOf(error) });
  }
  isIndexing = false;
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function post(message: FromCode): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<ToCode>) => {
  if (data.type === 'start') {
    assets = data.assets;
    holdLivenessLock(data.livenessLock, () => post({ type: 'alive' }));
  } else {
    last = last.then(() => handle(data));
  }
};
