/** Layout shifts of a page, as the browser measures them. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

declare global {
  interface Window {
    shifted: number;
  }
}

/** Maximum sum of shifts: a fifth of what is perceptible, and more than a count that appears beside a title. */
const MAX_SHIFT = 0.02;

/** Sums the shifts of every document that the page opens from now on. */
export async function observeLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Asserts that the content of the current document did not shift perceptibly. */
export async function expectNoLayoutShift(page: Page, message?: string): Promise<void> {
  expect(await page.evaluate(() => window.shifted), message).toBeLessThan(MAX_SHIFT);
}
