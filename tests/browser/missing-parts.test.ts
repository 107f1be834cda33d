/** Parts of the page that are missing when it needs them: after an update on the server, or without a network. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, chooseItem, goTo, testAddress } from './support/memory.ts';

const built = builtPage();

const MISSING = 'could not be loaded';

/** A page without the files of this pattern, with a list of its uncaught exceptions. */
async function tabWithout(pattern: string, path: string): Promise<{ page: Page; exceptions: () => string[] }> {
  const errors: string[] = [];
  const { page } = await built.watchedTab(path, async (page) => {
    page.on('pageerror', ({ message }) => errors.push(message));
    await without(page, pattern);
  });
  return { page, exceptions: () => errors };
}

const without = (page: Page, pattern: string): Promise<unknown> =>
  page.route(pattern, (route) => route.fulfill({ status: 404, body: '' }));

describe('a part of the page that is missing', () => {
  it('is reported in place of a view, and a reload brings it', async () => {
    const { page } = await tabWithout('**/table-view-*.js', '?database=missing-view.db#/stats');
    await goTo(page, '#/table');
    const main = page.getByRole('main');
    await main.getByText(MISSING).waitFor();
    // Other views work.
    await goTo(page, '#/sql');
    await main.getByRole('button', { name: 'Run' }).waitFor();
    await goTo(page, '#/table');
    await page.unroute('**/table-view-*.js');
    await main.getByRole('button', { name: 'Reload the page' }).click();
    await main.getByRole('grid').or(main.getByText('empty')).first().waitFor();
    expect(await main.getByText(MISSING).count()).toBe(0);
    await page.close();
  });

  it('is reported in the inspector, and the view stays', async () => {
    const { page } = await tabWithout('**/entity-inspector-*.js', '?database=missing-inspector.db#/sql');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await goTo(page, '#/sql?sel=entity:Ada');
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(MISSING).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Run' }).waitFor();
    await page.close();
  });

  it('is reported when the page starts', async () => {
    const page = await built.newPage();
    await without(page, '**/browser-source-*.js');
    await page.goto(testAddress(built.url, '?memory'));
    await page.getByText(MISSING).waitFor();
    await page.unroute('**/browser-source-*.js');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.waitForFunction(() => 'limbic' in window);
    await page.close();
  });

  it.each([
    ['the steps of the tour', '**/steps-*.js'],
    ['the panel of the tour', '**/tour-panel-*.js'],
  ])('is reported after an action, and the page stays: %s', async (_, pattern) => {
    const { page, exceptions } = await tabWithout(pattern, '?memory&demo#/sql');
    await expect.poll(async () => (await ask(page, 'explore_stats', {})).counts.entities).toBeGreaterThan(100);
    await chooseItem(page, 'Guided tour');
    await page
      .getByRole('region', { name: /Notifications/ })
      .getByText(MISSING)
      .first()
      .waitFor();
    await page.getByRole('contentinfo', { name: 'Status' }).waitFor();
    // The tour's first step may be loading its view.
    await expect.poll(() => page.getByRole('main').innerText()).not.toBe('');
    expect(exceptions()).toEqual([]);
    await page.close();
  });

  it('is reported where a domain is created', async () => {
    const { page, exceptions } = await tabWithout('**/new-domain-*.js', '?database=missing-domain.db#/sql');
    await ask(page, 'memory_store', { content: 'Ada likes tea.' });
    for (const count of [1, 2]) {
      await page.getByRole('button', { name: /^Domain:/ }).click();
      await page.getByRole('menuitem', { name: 'New domain' }).click();
      const told = page.getByRole('region', { name: /Notifications/ }).getByText(MISSING);
      await told.nth(count - 1).waitFor();
    }
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(exceptions()).toEqual([]);
    await page.close();
  });
});
