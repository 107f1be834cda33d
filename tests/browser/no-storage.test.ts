/** The page in a browser that stores nothing for sites, as with blocked cookies. */
import { expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, names } from './support/memory.ts';

const built = builtPage({ blocksStorage: true });

it('comes up where the browser stores nothing, works in memory, and says so', async () => {
  const { page, errors } = await built.watchedTab('?demo#/graph');
  const isBlocked = await page.evaluate(() => {
    try {
      return localStorage === undefined;
    } catch {
      return true;
    }
  });
  expect(isBlocked).toBe(true);
  await page.getByText('The memory is kept only until this page is closed.').waitFor();
  await page.getByText('In memory only').waitFor();
  // The demo loads its sample, and offers its tour.
  await page.getByRole('button', { name: 'Take the tour' }).click();
  await page.getByRole('button', { name: 'Next' }).first().click();
  await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
  expect(await names(page)).toContain('Ada');
  await page.evaluate(() => void (location.hash = '#/sql?q=SELECT%201'));
  await page.getByRole('gridcell', { name: '1' }).waitFor();
  await page.evaluate(() => void (location.hash = '#/settings'));
  await page.getByRole('region', { name: 'Storage', exact: true }).getByText('is lost when this page closes').waitFor();
  expect(errors).toEqual([]);
  await page.close();
});
