/** The inspector of an entity that has more records than one answer contains, and one that others change meanwhile. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, goTo } from './support/memory.ts';

const built = builtPage();
let page: Page;

const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });

beforeAll(async () => {
  page = await built.tab('?database=inspector.db&memory');
});

it('says how many observations it does not show, and leads to all of them', async () => {
  for (const part of [0, 1, 2]) {
    const length = part === 2 ? 5 : 1000;
    const observations = Array.from({ length }, (_, index) => `Fact ${part}-${index}`);
    await ask(page, 'create_entities', { entities: [{ name: 'Large', observations }] });
  }
  await goTo(page, '#/search?sel=entity:Large');
  // Many rows take long while other tests run.
  await inspector().getByText('and 5 later observations, listed in the table').waitFor({ timeout: 45_000 });
  await inspector().getByRole('link', { name: 'table', exact: true }).click();
  await page.getByRole('status').filter({ hasText: '2,005 observations' }).waitFor();
});

it('changes a type and leaves a status that another client has just written', async () => {
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas', entityType: 'Service' }] });
  await goTo(page, '#/search?sel=entity:Atlas');
  await inspector()
    .getByRole('button', { name: /^Type: / })
    .click();
  await inspector().getByRole('textbox', { name: 'Type' }).fill('Project');
  // The page has not read the entity again when the type is saved.
  await page.evaluate(() => {
    const { limbic } = window;
    const run = limbic.call.bind(limbic);
    limbic.call = (async (tool: string, args: never) => {
      if (tool === 'explore_entity') await new Promise((resolve) => setTimeout(resolve, 1000));
      return run(tool as never, args);
    }) as typeof limbic.call;
  });
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas', status: 'paused' }] });
  await page.keyboard.press('Enter');
  await inspector()
    .getByRole('button', { name: /^Type: Project/ })
    .waitFor();
  await inspector()
    .getByRole('button', { name: /^Status: paused/ })
    .waitFor();
});
