/** Stored texts that are written from right to left, on one line that cuts them off: their beginning stays visible. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, goTo } from './support/memory.ts';

const ARABIC = 'تحب آدا الشاي الأخضر في الصباح ولا تشرب القهوة بعد الظهر 123';

const built = builtPage();
let page: Page;

beforeAll(async () => {
  page = await built.tab('?database=direction.db&memory');
  await ask(page, 'create_entities', {
    entities: [
      { name: ARABIC, entityType: 'Person', observations: [ARABIC] },
      { name: 'Ada', entityType: 'Person' },
    ],
  });
});

const directionOf = (text: Locator): Promise<string> =>
  text.first().evaluate((element) => getComputedStyle(element).direction);

it('is that of the text in the table', async () => {
  await goTo(page, '#/table');
  const cells = page.getByRole('gridcell');
  expect(await directionOf(cells.filter({ hasText: ARABIC }))).toBe('rtl');
  expect(await directionOf(cells.filter({ hasText: 'Ada' }))).toBe('ltr');
});

it('is that of the text in the timeline, the palette and results of SQL', async () => {
  await goTo(page, '#/timeline');
  expect(await directionOf(page.getByRole('option').locator('strong').filter({ hasText: ARABIC }))).toBe('rtl');
  await goTo(page, `#/sql?q=${encodeURIComponent('SELECT content FROM observations')}`);
  expect(await directionOf(page.getByRole('gridcell', { name: ARABIC }))).toBe('rtl');
  await page.keyboard.press('Control+k');
  expect(await directionOf(page.getByRole('dialog').getByText(ARABIC))).toBe('rtl');
  await page.keyboard.press('Escape');
});

it('is that of the text in a choice and in the history of SQL', async () => {
  await goTo(page, `#/table?kind=entities&type=${encodeURIComponent(ARABIC)}`);
  expect(await directionOf(page.getByRole('main').locator('button span').filter({ hasText: ARABIC }))).toBe('rtl');
  await goTo(page, '#/sql');
  await page.getByRole('textbox').fill(`/* ${ARABIC} */ SELECT 1`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'History' }).click();
  expect(await directionOf(page.getByRole('menuitem').filter({ hasText: ARABIC }))).toBe('rtl');
  await page.keyboard.press('Escape');
});
