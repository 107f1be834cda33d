import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { VIEWS } from '../../web/src/registry.ts';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { expectNoLayoutShift, observeLayoutShifts } from './support/layout-shifts.ts';
import { screenshotFolder } from './support/places.ts';
import { waitForIdle } from './support/wait-for-idle.ts';
import { fillSmall, HOSTILE } from './support/small-memory.ts';

/** Parameters that views need to show content. */
const PARAMS: Readonly<Record<string, string>> = { graph: 'focus=Atlas&depth=2', search: 'q=where+is+data+stored' };
const THEMES = ['light', 'dark'] as const;
/** A view may take the focus when its data have come. */
const FOCUS_MILLIS = 800;
/** How long a loading page is watched for shifts. */
const LOAD_MILLIS = 2400;
const MAX_TABS = 40;

const shots = screenshotFolder('views');
const built = builtPage();
let page: Page;
let errors: string[];

beforeAll(async () => {
  ({ page, errors } = await built.watchedTab('?database=views.db', observeLayoutShifts));
  await fillSmall(page);
});

const addressOf = (view: string, more = ''): string => `#/${view}?${PARAMS[view] ?? ''}${more}`;

async function goTo(hash: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), hash);
  await waitForIdle(page);
}

describe.each(VIEWS.map(({ id, title }) => [id, title] as const))('the view %s', (id, title) => {
  it('opens by its address and after a reload', async () => {
    await goTo(addressOf(id));
    await expect.poll(() => page.title()).toBe(`${title} · Limbic`);
    await page.reload();
    await expect.poll(() => page.title()).toBe(`${title} · Limbic`);
    await expect.poll(async () => (await page.locator('main').innerText()).trim()).not.toBe('');
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);
  });

  it('opens by keyboard', async () => {
    await goTo(id === 'graph' ? '#/search' : '#/graph');
    await page.waitForTimeout(FOCUS_MILLIS);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      getSelection()?.removeAllRanges();
    });
    for (let count = 0; ; count += 1) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(
        () => document.activeElement?.closest('nav') && document.activeElement.getAttribute('aria-label'),
      );
      if (label === title) break;
      expect(count).toBeLessThan(MAX_TABS);
    }
    await page.keyboard.press('Enter');
    await page.waitForFunction((id) => location.hash.startsWith(`#/${id}`), id);
  });

  it.each(THEMES)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const [what, more] of [
      ['', ''],
      ['-inspector', '&sel=entity:Atlas'],
    ] as const) {
      await goTo(addressOf(id, more));
      await page.screenshot({ path: join(shots, `${id}${what}-${colorScheme}.png`) });
      const found = await violations(page);
      expect(found, found.join('\n')).toEqual([]);
    }
  });

  it('escapes hostile texts', async () => {
    for (const name of HOSTILE.slice(0, 3)) {
      await goTo(addressOf(id, `&sel=${encodeURIComponent(`entity:${name}`)}`));
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('heading', { name, exact: true })
        .waitFor();
    }
    for (let index = 0; index < 3; index += 1) {
      await goTo(addressOf(id, `&sel=memory:hostile-${index}`));
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('heading', { level: 2 })
        .filter({ hasText: HOSTILE[index] })
        .waitFor({ state: 'attached' });
    }
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('img[src="x"], script:not([src]), iframe, main style').count()).toBe(0);
  });

  it('has no layout shifts while loading', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await goTo(addressOf(id));
      await page.reload();
      await page.waitForTimeout(LOAD_MILLIS);
      await expectNoLayoutShift(page);
    }
  });

  it('fits narrow and wide windows', async () => {
    for (const [width, height] of [
      [320, 640],
      [2560, 1200],
    ] as const) {
      await page.setViewportSize({ width, height });
      await goTo(addressOf(id));
      await page.screenshot({ path: join(shots, `${id}-${width}.png`) });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

it('nothing is logged to the console', () => {
  expect(errors, errors.join('\n')).toEqual([]);
});
