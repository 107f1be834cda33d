import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { VIEWS } from '../../web/src/registry.ts';
import { complaints, launch } from './support/browser.ts';
import { ask, names, open, up } from './support/memory.ts';
import { PAGE, temporaryFolder } from './support/places.ts';
import { serveFolders, type StaticServer } from './support/static-server.ts';

/** Maximum transfer size of a first visit without compression, with all files that the service worker caches. */
const MAX_FIRST_VISIT_BYTES = 4_350_000;

let server: StaticServer;
let browser: BrowserContext;

afterEach(async () => {
  await browser.close();
  await server.end();
});

/** Opens a tab, and waits until the service worker has cached the whole page. */
async function cachedPage(folder: string, path: string, packs = false): Promise<Page> {
  server = await serveFolders({ '/some/where/': folder }, { packs });
  browser = await launch({ allowsOffline: true });
  const page = await browser.newPage();
  await open(page, server.url, path);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', undefined, {
    timeout: 30_000,
  });
  return page;
}

describe('without a network', () => {
  it('every view opens, and the memory is readable and writable', async () => {
    const page = await cachedPage(PAGE, '?database=offline.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas', observations: ['stored with a network'] }] });
    // The server is stopped, since a service worker may bypass the browser's offline mode.
    await browser.setOffline(true);
    await server.end();
    const errors = complaints(page);
    for (const { id, title } of VIEWS) {
      await page.evaluate((id) => void (location.hash = `#/${id}`), id);
      await page.reload();
      await up(page);
      await expect.poll(() => page.title()).toBe(`${title} · Limbic`);
      await expect.poll(async () => (await page.locator('main').innerText()).trim()).not.toBe('');
      expect(await page.locator('main').getByRole('alert').count()).toBe(0);
    }
    await page.evaluate(() => void (location.hash = '#/graph?sel=entity:Atlas'));
    await page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { name: 'Atlas' }).waitFor();
    await ask(page, 'create_entities', { entities: [{ name: 'Borealis' }] });
    expect((await names(page)).sort()).toEqual(['Atlas', 'Borealis']);
    expect(errors.filter((error) => !error.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});

it('a new build is offered, and activated on confirmation', async () => {
  const folder = join(temporaryFolder(), 'page');
  cpSync(PAGE, folder, { recursive: true });
  const page = await cachedPage(folder, '?database=update.db');
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
  const before = await page.evaluate(() => document.documentElement.dataset['build']);
  expect(before).toBeUndefined();
  rebuild(folder);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration())?.update()));
  const update = page.getByRole('button', { name: 'Update' });
  await update.waitFor();
  // Until then the page is unchanged, also after a reload.
  await page.reload();
  await up(page);
  expect(await page.locator('html').getAttribute('data-build')).toBeNull();
  await update.click();
  await page.waitForFunction(() => document.documentElement.dataset['build'] === 'second', undefined, {
    timeout: 20_000,
  });
  await up(page);
  expect(await names(page)).toEqual(['Atlas']);
});

describe('the first visit without the model', () => {
  it.each([
    ['that compresses nothing', false],
    ['that compresses', true],
  ])('transfers few bytes from a server %s', async (what, packs) => {
    const page = await cachedPage(PAGE, '?demo', packs);
    await expect.poll(async () => (await names(page)).length, { timeout: 30_000 }).toBeGreaterThan(250);
    const { bytes, answers } = server.sent;
    console.log(
      `first visit from a server ${what}: ${(bytes / 1e6).toFixed(2)} MB in ${answers} files, with the sample and all that is kept for offline use`,
    );
    expect(bytes).toBeLessThan(MAX_FIRST_VISIT_BYTES);
  });
});

/** Replaces the page by another build: its document and the service worker's list of files differ. */
function rebuild(folder: string): void {
  const [page, worker] = [join(folder, 'index.html'), join(folder, 'service-worker.js')];
  writeFileSync(page, readFileSync(page, 'utf8').replace('<html', '<html data-build="second"'));
  const script = readFileSync(worker, 'utf8');
  const [version] = /(?<=version:\s*[`'"])[0-9a-f]{16}/.exec(script) ?? [];
  if (version === undefined) throw new Error(`no version in ${readdirSync(folder).join(' ')}`);
  writeFileSync(worker, script.replaceAll(version, version.split('').reverse().join('')));
  appendFileSync(worker, '\n');
}
