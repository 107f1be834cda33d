/** Large files of the page that are damaged in the browser's cache. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { testAddress, up } from './support/memory.ts';

const MODEL_MILLIS = 40_000;

const built = builtPage();

/** The number of bytes that the page has cached under a name; with `cutsTo`, cuts them off there first. */
function cachedBytes(page: Page, name: string, cutsTo?: number): Promise<number> {
  return page.evaluate(
    async ({ name, cutsTo }) => {
      const cache = await caches.open('limbic-parts');
      const request = (await cache.keys()).find(({ url }) => url.includes(name));
      const response = request === undefined ? undefined : await cache.match(request);
      if (request === undefined || response === undefined) return 0;
      let bytes = await response.arrayBuffer();
      if (cutsTo !== undefined) {
        bytes = bytes.slice(0, cutsTo);
        await cache.put(request, new Response(bytes));
      }
      return bytes.byteLength;
    },
    { name, cutsTo },
  );
}

async function openWithModel(page: Page): Promise<void> {
  await page.goto(testAddress(built.url, '?database=damaged.db'));
  await up(page);
  await page.getByText('Semantic search').waitFor({ timeout: MODEL_MILLIS });
}

it.each([
  ['the core', '/core-'],
  ['the encoder', '/limbic_encoder_bg-'],
  ['the model', '/model-'],
  ['the tokenizer', '/tokenizer-'],
])('is fetched again and replaced: %s', async (_, name) => {
  const page = await built.newPage();
  await openWithModel(page);
  await expect.poll(() => cachedBytes(page, name)).toBeGreaterThan(1000);
  const bytes = await cachedBytes(page, name);
  expect(await cachedBytes(page, name, 1000)).toBe(1000);
  await openWithModel(page);
  await expect.poll(() => cachedBytes(page, name)).toBe(bytes);
  await page.close();
});

it('that cannot be fetched again leaves keyword search, and the reason is shown', async () => {
  const page = await built.newPage();
  await openWithModel(page);
  await expect.poll(() => cachedBytes(page, '/model-')).toBeGreaterThan(1000);
  await cachedBytes(page, '/model-', 1000);
  await page.route('**/model-*.onnx', (route) => route.abort());
  await page.reload();
  await up(page);
  const failed = page.getByText('Keyword search only: no model');
  await failed.waitFor({ timeout: MODEL_MILLIS });
  await expect.poll(() => failed.getAttribute('title')).toContain('A part of the page could not be loaded');
  await page.close();
});
