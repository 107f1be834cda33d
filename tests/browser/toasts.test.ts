/** How long notifications stay. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';

const built = builtPage();

/** Less than the time of a toast, and more than half of it. */
const PART_MILLIS = 7000;
const LONG_MILLIS = 60_000;

/** A page whose clock a test advances, and where pressing a button shows a toast. */
async function tab(database: string): Promise<Page> {
  const { page } = await built.watchedTab(`?database=${database}#/settings`, async (page) => {
    await page.clock.install();
    await page.addInitScript(() => {
      StorageManager.prototype.persist = async () => false;
    });
  });
  return page;
}

const show = (page: Page): Promise<void> => page.getByRole('button', { name: 'Ask the browser to keep it' }).click();
const toasts = (page: Page) => page.getByRole('alertdialog', { name: 'did not agree' });

describe('a toast', () => {
  it('expires', async () => {
    const page = await tab('toast-expires.db');
    await show(page);
    await toasts(page).waitFor();
    await page.clock.fastForward(LONG_MILLIS);
    await toasts(page).waitFor({ state: 'detached' });
    await page.close();
  });

  it('stays while the pointer is on it, and has its whole time afterwards', async () => {
    const page = await tab('toast-hovered.db');
    await show(page);
    await toasts(page).waitFor();
    await page.clock.fastForward(PART_MILLIS);
    await toasts(page).hover();
    await page.clock.fastForward(LONG_MILLIS);
    expect(await toasts(page).count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.clock.fastForward(PART_MILLIS);
    expect(await toasts(page).count()).toBe(1);
    await page.clock.fastForward(PART_MILLIS);
    await toasts(page).waitFor({ state: 'detached' });
    await page.close();
  });

  it('stays while the focus is on it or on another one', async () => {
    const page = await tab('toast-focused.db');
    await show(page);
    await toasts(page).getByRole('button', { name: 'Close' }).focus();
    // Without moving the focus.
    await page.evaluate(() => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) =>
        textContent?.includes('Ask the'),
      );
      button?.click();
    });
    await expect.poll(() => toasts(page).count()).toBe(2);
    await page.clock.fastForward(LONG_MILLIS);
    expect(await toasts(page).count()).toBe(2);
    await toasts(page).first().getByRole('button', { name: 'Close' }).press('Enter');
    await expect.poll(() => toasts(page).count()).toBe(1);
    await page.getByRole('main').focus();
    await page.clock.fastForward(LONG_MILLIS);
    await toasts(page).waitFor({ state: 'detached' });
    // The next one is not held by those that are gone.
    await show(page);
    await toasts(page).waitFor();
    await page.clock.fastForward(LONG_MILLIS);
    await toasts(page).waitFor({ state: 'detached' });
    await page.close();
  });
});
