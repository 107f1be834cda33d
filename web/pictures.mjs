/**
 * Makes the pictures of the README from the sample memory: `npm run build && node pictures.mjs [NAME...]`.
 *
 * The search by meaning needs the model and the whole sample embedded, which takes minutes: it comes last.
 */
import { mkdirSync, statSync } from 'node:fs';
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
const SETTLE_MILLIS = 5000;
const LAYOUT_MILLIS = 60_000;
const BYTES_MAX = 250_000;

const PICTURES = [
  { name: 'first', height: 720, hash: '#/graph' },
  { name: 'graph', height: 720, hash: '#/graph?most=1000&color=community' },
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
  for (const { name, height, isByMeaning = false, hash } of pictures) {
    const page = await browser.newPage({
      colorScheme: 'light',
      viewport: { width: 1280, height },
      serviceWorkers: 'block',
    });
    await page.addInitScript(() => localStorage.setItem('limbic-tour', '{"step":0,"isSeen":true}'));
    await page.goto(`${server.resolvedUrls.local[0]}?demo&test${isByMeaning ? '' : '&no-model'}#/stats`);
    await waitFor(page, isByMeaning);
    await page.evaluate((hash) => void (location.hash = hash), hash);
    await page.waitForTimeout(SETTLE_MILLIS);
    await page.getByText('arranging…').waitFor({ state: 'hidden', timeout: LAYOUT_MILLIS });
    // The legend and the last positions are drawn with the next frames.
    await page.waitForTimeout(LOOK_MILLIS);
    await page.evaluate(() => document.activeElement?.blur());
    const path = `${FOLDER}/${name}.png`;
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${name}.png: ${Math.round(size / 1000)} kB`);
    if (size > BYTES_MAX) throw new Error(`${name}.png is larger than ${BYTES_MAX / 1000} kB: show less, or less high`);
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
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
