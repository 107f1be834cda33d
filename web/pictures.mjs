/**
 * Makes the pictures of the README from the sample memory: `npm run build && node pictures.mjs [NAME...]`. The picture
 * of the code view shows Limbic's own crates on a server, and needs ../node/dist.
 *
 * The search by meaning needs the model and the whole sample embedded, which takes minutes: it comes last.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FOLDER = `${HERE}pictures`;
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--no-first-run',
];
const EMBEDDED_MILLIS = 20 * 60_000;
const LOOK_MILLIS = 1000;
const REST_MILLIS = 5000;
const LAYOUT_MILLIS = 60_000;
const MAX_BYTES = 300_000;

const CODE_FILE = 'limbic-tools/src/tools/code/search_code.rs';
/** The line of the selected function. */
const CODE_LINE =
  readFileSync(`${HERE}../crates/${CODE_FILE}`, 'utf8')
    .split('\n')
    .findIndex((line) => line.startsWith('fn draft(')) + 1;

const PICTURES = [
  { name: 'first', height: 720, hash: '#/graph' },
  { name: 'graph', height: 720, hash: '#/graph?most=1000&color=community' },
  {
    name: 'code',
    // Tree, source and symbol beside each other.
    width: 1440,
    height: 700,
    isOfCode: true,
    hash: `#/code?project=limbic&path=${encodeURIComponent(CODE_FILE)}&line=${CODE_LINE}&sel=${encodeURIComponent(`symbol:limbic:${CODE_FILE}#draft`)}`,
  },
  { name: 'search', height: 560, isByMeaning: true, hash: '#/search?q=how+long+does+a+tag+battery+last' },
];

const names = process.argv.slice(2);
const pictures = PICTURES.filter(({ name }) => names.length === 0 || names.includes(name));
if (pictures.length === 0) throw new Error(`no such picture: ${names.join(' ')}`);

mkdirSync(FOLDER, { recursive: true });
const server = await preview({ root: HERE, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
const browser = await chromium.launch({
  executablePath: process.env.LIMBIC_CHROMIUM ?? '/usr/bin/chromium',
  args: ARGS,
});
try {
  for (const { name, width = 1280, height, isByMeaning = false, isOfCode = false, hash } of pictures) {
    const page = await browser.newPage({
      colorScheme: 'light',
      viewport: { width, height },
      serviceWorkers: 'block',
    });
    await page.addInitScript(() => localStorage.setItem('limbic-tour', '{"step":0,"isSeen":true}'));
    const code = isOfCode ? await codeServer() : undefined;
    if (code === undefined) {
      await page.goto(`${server.resolvedUrls.local[0]}?demo&test${isByMeaning ? '' : '&no-model'}#/stats`);
      await waitFor(page, isByMeaning);
    } else {
      await page.goto(code.address);
      await indexCrates(page);
    }
    await page.evaluate((hash) => void (location.hash = hash), hash);
    await page.waitForTimeout(REST_MILLIS);
    await page.getByText('running layout…').waitFor({ state: 'hidden', timeout: LAYOUT_MILLIS });
    // No encoder ends the embeddings of this server: the picture must not announce them.
    if (code !== undefined) await page.getByText('indexed for keyword search').first().waitFor();
    // The legend and the last positions are drawn with the next frames.
    await page.waitForTimeout(LOOK_MILLIS);
    await page.evaluate(() => document.activeElement?.blur());
    const path = `${FOLDER}/${name}.png`;
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${name}.png: ${Math.round(size / 1000)} kB`);
    if (size > MAX_BYTES) throw new Error(`${name}.png is larger than ${MAX_BYTES / 1000} kB: show less, or less high`);
    await page.close();
    code?.end();
  }
} finally {
  await browser.close();
  await server.close();
}

/**
 * Starts a server that may index the crates. Returns the explorer's address with its token, and what ends the server.
 */
async function codeServer() {
  const folder = mkdtempSync(join(tmpdir(), 'limbic-pictures-'));
  const options = ['--ui', '--no-model', '--toolsets', 'code', '--code-root', `${HERE}../crates`];
  const child = spawn(
    process.execPath,
    [`${HERE}../node/dist/main.js`, '--db', join(folder, 'memory.db'), ...options],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  const { address, file } = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const [, address] = /explorer: (http:\/\/\S+?)(?:,|\s)/.exec(text) ?? [];
      const [, file] = /the tokens of this server are in (.+)\n/.exec(text) ?? [];
      if (address !== undefined && file !== undefined) resolve({ address, file });
    });
    child.on('exit', () => reject(new Error(`the server ended: ${text}`)));
  });
  const end = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  // Without a terminal, the server writes its tokens to a file.
  const [, token] = /#token=(\S+)/.exec(readFileSync(file, 'utf8')) ?? [];
  return { address: `${new URL('/?test', address).href}#token=${token}`, end };
}

/** Indexes the crates to the end. */
async function indexCrates(page) {
  await page.waitForFunction(() => 'limbic' in window);
  const status = await page.evaluate(async () => {
    const { value } = await window.limbic.call('index_project', { path: '.', project_id: 'limbic', wait: true });
    return value?.status;
  });
  if (status !== 'completed') throw new Error(`the crates were not indexed: ${status}`);
}

/** Waits until the page has the sample and, for searches by meaning, a vector for each text of it. */
async function waitFor(page, isByMeaning) {
  const started = Date.now();
  while (!(await page.evaluate(isThere, isByMeaning))) {
    if (Date.now() - started > EMBEDDED_MILLIS) throw new Error('the sample was not embedded in time');
    await page.waitForTimeout(LOOK_MILLIS);
  }
  if (isByMeaning) console.log(`embedded in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function isThere(isByMeaning) {
  if (!('limbic' in window)) return false;
  const { ok, value } = await window.limbic.call('explore_stats', {});
  if (!ok || value.counts.entities === 0 || value.counts.memories === 0) return false;
  return !isByMeaning || (value.vectors.observations > 0 && value.queue.waiting === 0);
}
