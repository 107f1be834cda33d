/** The first view: the graph of the most used records, with the search above it. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { boxOf, complaints } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { fillCommunities } from './support/communities-memory.ts';
import { ask } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';

const shots = screenshotFolder('graph');
const built = builtPage();

const drawing = (page: Page) => page.getByRole('application', { name: /^Graph of/ });
const search = (page: Page) => page.getByPlaceholder('Find by name, type or text');
const arranged = (page: Page) => page.getByText('running layout…').waitFor({ state: 'hidden', timeout: 30_000 });

describe('without a start in the address', () => {
  it('an empty memory shows how to begin, and the first entities are drawn when they are stored', async () => {
    const page = await built.tab('?memory#/graph');
    await page.getByRole('button', { name: 'Load sample memory' }).waitFor();
    expect(await drawing(page).count()).toBe(0);
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
    await ask(page, 'memory_store', { content: 'Backups run every night at two.', id: 'backup' });
    await page.getByText('1 entity, 1 memory, 0 links').waitFor();
    await page.close();
  });

  it('draws the most used records, with the search above them', async () => {
    const page = await built.tab('?memory#/graph');
    const errors = complaints(page);
    await fillCommunities(page, 300);
    await page.getByText(/^200 entities, \d+ links/).waitFor();
    const [field, canvas] = [await boxOf(search(page)), await boxOf(drawing(page))];
    expect(field.y + field.height).toBeLessThanOrEqual(canvas.y);
    await search(page).fill('Gateway');
    await page.getByRole('option').first().waitFor();
    const found = await violations(page);
    expect(found, found.join('\n')).toEqual([]);
    await search(page).fill('Gateway plat');
    await page.getByRole('option', { name: /^Gateway platform/ }).click();
    await expect.poll(() => page.url()).toContain('focus=Gateway');
    await page.goBack();
    await page.getByRole('button', { name: 'Draw all 300' }).click();
    await page.getByText(/^300 entities, \d+ links/).waitFor();
    await arranged(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(shots, `300-${colorScheme}.png`) });
    }
    expect(errors).toEqual([]);
    await page.close();
  });
});
