/** Windows as narrow as a phone: what covers something can be closed, and nothing lies over something else. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { boxOf } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { goTo } from './support/memory.ts';

const built = builtPage({ viewport: { width: 390, height: 844 } });
let page: Page;

beforeAll(async () => {
  page = await built.tab('?database=narrow.db&memory');
});

const toggle = (): Locator => page.getByRole('button', { name: 'Tables and columns', exact: true });
const filter = (): Locator => page.getByRole('searchbox', { name: 'Filter tables and columns' });

it.each([
  ['its button', () => page.getByRole('button', { name: 'Close: Tables and columns' }).click()],
  ['Escape', () => page.keyboard.press('Escape')],
  ['a press beside it', () => page.mouse.click(380, 400)],
] as const)('the panel that covers its own button is closed by %s', async (_, close) => {
  await goTo(page, '#/sql');
  await toggle().click();
  await filter().waitFor();
  await close();
  await filter().waitFor({ state: 'hidden' });
  await expect.poll(() => toggle().evaluate((button) => document.activeElement === button)).toBe(true);
});

it('the parts of the status bar lie beside each other when the connection is lost', async () => {
  await page.evaluate(() => {
    const status = window.limbic.status as unknown as { update: (change: (before: object) => object) => void };
    const problem = 'The server is disconnected. The page reconnects as soon as it is available.';
    status.update((before) => ({ ...before, connection: 'lost', storage: 'server', isEncrypted: false, problem }));
  });
  const bar = page.getByRole('contentinfo', { name: 'Status' });
  await bar.getByRole('alert').waitFor();
  const boxes = await Promise.all((await bar.locator('> span').all()).map((part) => boxOf(part)));
  for (const [index, { x }] of boxes.entries()) {
    const before = boxes[index - 1];
    if (before !== undefined) expect(x).toBeGreaterThanOrEqual(before.x + before.width);
  }
  const cut = await bar
    .locator('> span')
    .evaluateAll(
      (parts) =>
        parts.filter((part) => part.getAttribute('role') !== 'alert' && part.scrollWidth > part.clientWidth + 1).length,
    );
  expect(cut).toBe(0);
});
