/** Windows of little height: of a phone held sideways, or of a page that is enlarged to 200 %. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { goTo } from './support/memory.ts';
import { fillSmall } from './support/small-memory.ts';

const built = builtPage();
let page: Page;

beforeAll(async () => {
  page = await built.tab('?database=low.db&memory');
  await fillSmall(page);
});

describe.each([
  [720, 450],
  [844, 390],
  [640, 360],
  [320, 256],
] as const)('in a window of %i × %i', (width, height) => {
  it('every control of the navigation can be pressed', async () => {
    await page.setViewportSize({ width, height });
    await goTo(page, '#/stats');
    const controls = page.getByRole('navigation', { name: 'Views' }).locator('a:visible, button:visible');
    const count = await controls.count();
    expect(count).toBeGreaterThan(8);
    for (let index = 0; index < count; index += 1) await controls.nth(index).click({ trial: true, timeout: 2000 });
  });

  it('the events of the timeline can be pressed', async () => {
    await page.setViewportSize({ width, height });
    await goTo(page, '#/timeline');
    const events = page.getByRole('listbox', { name: 'Events' }).getByRole('option');
    await events.first().click({ trial: true, timeout: 5000 });
    await events.nth(3).click({ trial: true, timeout: 5000 });
  });
});
