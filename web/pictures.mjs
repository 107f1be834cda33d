/**
 * Makes the pictures of the README from the sample memory: `npm run build && node pictures.mjs`.
 *
 * They show the search by meaning, so the model is loaded and the whole sample embedded first, which takes minutes.
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
const BYTES_MAX = 150_000;

const PICTURES = [
  { name: 'graph', height: 600, hash: '#/graph?most=60&color=community' },
  { name: 'search', height: 560, hash: '#/search?q=how+long+does+a+tag+battery+last' },
];

mkdirSync(FOLDER, { recursive: true });
const server = await preview({ root: HERE, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
const browser = await chromium.launch({
  executablePath: process.env.LIMBIC_CHROMIUM ?? '/usr/bin/chromium',
  args: ARGS,
});
try {
  const page = await browser.newPage({
    colorScheme: 'light',
    viewport: { width: 1280, height: 720 },
    serviceWorkers: 'block',
  });
  await page.addInitScript(() => localStorage.setItem('limbic-tour', '{"step":0,"isSeen":true}'));
  const started = Date.now();
  await page.goto(`${server.resolvedUrls.local[0]}?demo&test#/graph`);
  while (!(await page.evaluate(isEmbedded))) {
    if (Date.now() - started > EMBEDDED_MILLIS) throw new Error('the sample was not embedded in time');
    await page.waitForTimeout(LOOK_MILLIS);
  }
  console.log(`embedded in ${Math.round((Date.now() - started) / 1000)} s`);
  for (const { name, height, hash } of PICTURES) {
    await page.setViewportSize({ width: 1280, height });
    await page.evaluate((hash) => void (location.hash = hash), hash);
    await page.waitForTimeout(SETTLE_MILLIS);
    const path = `${FOLDER}/${name}.png`;
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${name}.png: ${Math.round(size / 1000)} kB`);
    if (size > BYTES_MAX) throw new Error(`${name}.png is larger than ${BYTES_MAX / 1000} kB: show less, or less high`);
  }
} finally {
  await browser.close();
  await server.close();
}

/** Whether the page has the sample, and a vector for each text of it. */
async function isEmbedded() {
  if (!('limbic' in window)) return false;
  const { ok, value } = await window.limbic.call('explore_stats', {});
  return ok && value.vectors.observations > 0 && value.queue.waiting === 0;
}
