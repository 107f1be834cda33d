/**
 * The browser back end of the transcripts: every case of `tests/cases` on the core in a worker, over the browser's
 * storage, must give the bytes of `tests/expected`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { PKG, ROOT } from './support/places.ts';

/** Replaces `@/` in arguments: the address of the files to import. */
const FILES = '/files/';
const cases = readdirSync(join(ROOT, 'tests/cases'), { recursive: true })
  .map(String)
  // The page indexes source code in a core of its own (code.test.ts), not in the one that these cases run on.
  .filter((name) => name.endsWith('.jsonl') && !/^(code|memory-mcp-server)/.test(name))
  .sort();
let page: Page;

const built = builtPage({
  folders: {
    '/transcripts/': fileURLToPath(new URL('transcripts', import.meta.url)),
    '/pkg/': PKG,
    [FILES]: join(ROOT, 'tests/files'),
  },
});

beforeAll(async () => {
  page = await built.newPage();
  await page.goto(built.url);
});

it('the cases are found', () => {
  expect(cases).not.toEqual([]);
});

it.each(cases)('%s', async (name) => {
  const lines = readFileSync(join(ROOT, 'tests/cases', name), 'utf8').split('\n');
  const answers = await run(name, lines.filter((line) => line.trim() !== '').map(callOf));
  const text = answers.map((answer) => `${answer.replaceAll(FILES, '@/')}\n`).join('');
  expect(text).toBe(readFileSync(join(ROOT, 'tests/expected', name), 'utf8'));
});

/** Arguments are passed to the core unchanged, byte for byte. */
function callOf(line: string): { tool: string; args: string } {
  const { tool } = JSON.parse(line) as { tool: string };
  const [, args] = /"arguments":\s*(.*)\}\s*$/s.exec(line) ?? [];
  if (args === undefined) throw new Error(`a call without arguments: ${line}`);
  return { tool, args: args.replaceAll('@/', FILES) };
}

/** The folder of a case names the toolset that it needs in addition to the first, or the emulated server. */
function needs(folder: string): { toolsets: readonly string[]; compat?: string } {
  if (folder === 'memory-graph') return { toolsets: [], compat: folder };
  if (folder === 'more') return { toolsets: [] };
  const more = folder === 'memory' ? ['domain'] : folder === 'explorer' ? ['memory', 'domain'] : [];
  return { toolsets: [...new Set(['graph', ...more, folder])] };
}

async function run(name: string, calls: readonly { tool: string; args: string }[]): Promise<string[]> {
  const [, clock] = /START_MILLIS: i64 = ([\d_]+)/.exec(readFileSync(join(ROOT, 'tests/src/lib.rs'), 'utf8')) ?? [];
  const folder = name.split('/')[0] ?? '';
  const message = {
    name: name.replaceAll('/', '-'),
    ...needs(folder),
    testClock: Number(clock?.replaceAll('_', '')),
    calls,
  };
  const { answers, broken } = await page.evaluate(
    (message) =>
      new Promise<{ answers?: string[]; broken?: string }>((resolve) => {
        const worker = new Worker('worker.js', { type: 'module' });
        worker.onmessage = ({ data }: MessageEvent<{ answers?: string[]; broken?: string }>) => {
          worker.terminate();
          resolve(data);
        };
        worker.onerror = (event) => resolve({ broken: event.message });
        worker.postMessage(message);
      }),
    message,
  );
  if (answers === undefined) throw new Error(broken);
  return answers;
}
