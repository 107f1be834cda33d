/** The domain switch: choosing, creating and deleting domains. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { ask, closeNotices, goTo } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';
import { fillSmall } from './support/small-memory.ts';

const shots = screenshotFolder('domains');

const built = builtPage();
let page: Page;
let errors: string[];

beforeAll(async () => {
  ({ page, errors } = await built.watchedTab('?database=domains.db'));
  await fillSmall(page);
});

describe('the domain menu', () => {
  it('selects a domain by keyboard', async () => {
    await goTo(page, '#/graph?shows=memories&most=200');
    const button = page.getByRole('button', { name: /^Domain: / });
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Domain: All domains');
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: /^Project Atlas/ }).waitFor();
    await page.screenshot({ path: join(shots, 'domains.png') });
    await page.keyboard.type('Project');
    await page.keyboard.press('Enter');
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Domain: Project Atlas');
    expect(page.url()).toContain('domain=atlas');
    await expect
      .poll(() => page.getByRole('toolbar', { name: 'Graph' }).getByRole('status').innerText())
      .toMatch(/^2 memories/);
    // The domain stays selected in other views.
    await page.getByRole('navigation').getByRole('link', { name: 'Table' }).click();
    expect(page.url()).toContain('domain=atlas');
    await button.click();
    await page.getByRole('menuitemradio', { name: /^All domains/ }).click();
    await expect.poll(() => page.url()).not.toContain('domain=');
  });

  it('works in a narrow window and creates a domain', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const button = page.getByRole('button', { name: /^Domain: / });
    await button.click();
    await page.screenshot({ path: join(shots, 'domains-320.png') });
    await page.getByRole('menuitem', { name: 'New domain…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New domain' });
    await dialog.getByRole('textbox').fill('Project Atlas');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('domain=project-atlas');
    await button.click();
    await page.getByRole('menuitem', { name: 'New domain…' }).click();
    await dialog.getByRole('textbox').fill('project atlas');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('project-atlas').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
    await button.click();
    await page.getByRole('menuitem', { name: /^Delete “Project Atlas”/ }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete the domain “Project Atlas”?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect.poll(() => page.url()).not.toContain('domain=');
    expect((await ask(page, 'list_domains', {})).domains.map(({ id }) => id)).not.toContain('project-atlas');
    await closeNotices(page);
  });

  it('deletes a domain after asking for the target of its memories', async () => {
    await ask(page, 'create_domain', { id: 'attic', name: 'The attic' });
    await ask(page, 'memory_store', { id: 'box', content: 'A box of cables stands there', domain: 'attic' });
    await goTo(page, '#/stats?domain=attic');
    await page.getByText('These statistics cover all domains.').waitFor();
    await page.getByRole('button', { name: 'Domain: The attic' }).click();
    await page.getByRole('menuitem', { name: /^Delete “The attic”/ }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the domain “The attic”?' });
    await question.getByText('Its 1 memory moves to another domain. This cannot be undone here.').waitFor();
    await question.getByLabel('Target domain').selectOption('general');
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => (await ask(page, 'explore_memory', { id: 'box' })).memory.domain).toBe('general');
    await expect.poll(() => page.url()).not.toContain('domain=');
    await ask(page, 'memory_forget', { id: 'box' });
    await closeNotices(page);
  });

  it('selects all domains if the address names an unknown one', async () => {
    await goTo(page, '#/table?kind=memories&domain=nowhere');
    await page.getByText('Unknown domain “nowhere”').waitFor();
    await expect.poll(() => page.url()).not.toContain('domain=');
    await closeNotices(page);
  });

  it('is hidden without memories', async () => {
    const other = await built.tab('?database=none.db#/graph');
    await ask(other, 'create_entities', { entities: [{ name: 'Atlas' }] });
    await other.getByText('1 entity, 0 links').waitFor();
    expect(await other.getByRole('button', { name: /^Domain/ }).count()).toBe(0);
    await other.close();
  });
});

it('nothing is logged to the console', () => {
  expect(errors, errors.join('\n')).toEqual([]);
});
