/** Short lists of entities to decide about. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { ask } from './support/memory.ts';
import { HOSTILE } from './support/small-memory.ts';

const built = builtPage();
let page: Page;

beforeAll(async () => {
  page = await built.tab('?database=maintenance.db#/maintenance?part=stale');
  await ask(page, 'create_entities', {
    entities: ['Atlas', 'Borealis', HOSTILE[0] ?? ''].map((name) => ({ name, observations: [`${name} is there`] })),
  });
});

it('entities are selected singly or together and archived, with undo', async () => {
  await page.getByRole('checkbox', { name: 'Select Borealis' }).check();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('checkbox', { name: `Select ${HOSTILE[0]}` }).uncheck();
  await page.getByRole('button', { name: 'Archive' }).click();
  const statuses = async (): Promise<unknown> =>
    (
      (await ask(page, 'explore_records', { kind: 'entities', sort: 'name' })).rows as {
        name: string;
        status: string;
      }[]
    ).map(({ status }) => status);
  await expect.poll(statuses).toEqual(['activo', 'archivado', 'archivado']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(statuses).toEqual(['activo', 'activo', 'activo']);
});

it.each(['light', 'dark'] as const)(
  'a list has no accessibility violations, and a name in it leads to the entity: %s',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const found = await violations(page);
    expect(found, found.join('\n')).toEqual([]);
    await page.getByRole('table', { name: 'Stale entities' }).getByRole('link', { name: 'Borealis' }).click();
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('sel=entity%3ABorealis');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  },
);

it('of two possibly contradicting memories, the newer one or both are kept, with undo', async () => {
  const card = page.getByRole('region', { name: 'Possible contradiction: The build cache must be off' });
  const statuses = async (): Promise<unknown> =>
    Promise.all(['cache-on', 'cache-off'].map(async (id) => (await ask(page, 'explore_memory', { id })).memory.status));
  await ask(page, 'memory_store', {
    memories: [
      { id: 'cache-on', content: 'The build cache must be on' },
      { id: 'cache-off', content: 'The build cache must be off' },
    ],
  });
  // With an encoder, the core makes this link by itself.
  await ask(page, 'memory_link', {
    from_id: 'cache-off',
    to_id: 'cache-on',
    type: 'possible_contradiction' as 'contradicts',
    strength: 0.97,
  });
  await page.evaluate(() => void (location.hash = '#/maintenance?part=contradictions'));
  await card.waitFor();
  expect(await card.locator('mark').allInnerTexts()).toEqual(['off', 'on']);
  const found = await violations(page);
  expect(found, found.join('\n')).toEqual([]);
  await card.getByRole('button', { name: 'Keep the newer' }).click();
  await card.waitFor({ state: 'hidden' });
  await expect.poll(statuses).toEqual(['ended', 'current']);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await card.waitFor();
  await expect.poll(statuses).toEqual(['current', 'current']);
  await card.getByRole('button', { name: 'Keep both' }).click();
  await card.waitFor({ state: 'hidden' });
  expect(await statuses()).toEqual(['current', 'current']);
});
