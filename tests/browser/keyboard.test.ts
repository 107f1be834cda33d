/** Keys that come twice, too early, or from an input method. */
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, goTo, names } from './support/memory.ts';

const built = builtPage();
let page: Page;
let errors: string[];
let count = 0;

beforeEach(async () => {
  count += 1;
  ({ page, errors } = await built.watchedTab(`?database=keyboard-${count}.db&memory`));
});
afterEach(async () => {
  await page.close();
  expect(errors).toEqual([]);
});

const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
const notices = (): Locator => page.getByRole('region', { name: /Notifications/ });

describe('an input method', () => {
  /** Types a text that the input method has not converted yet. */
  async function compose(text: string): Promise<void> {
    const browser = await page.context().newCDPSession(page);
    const at = text.length;
    await browser.send('Input.imeSetComposition', { text, selectionStart: at, selectionEnd: at });
  }

  async function openSubject(): Promise<Locator> {
    await ask(page, 'memory_store', { id: 'city', content: 'Ada lives here' });
    await goTo(page, '#/table?kind=memories&sel=memory:city');
    await inspector()
      .getByRole('button', { name: /^Subject: / })
      .click();
    return inspector().getByRole('textbox', { name: 'Subject' });
  }

  it('is confirmed by Enter, which does not save the text yet', async () => {
    const field = await openSubject();
    await compose('とうきょう');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toContain('とうきょう');
    expect((await ask(page, 'explore_memory', { id: 'city' })).memory.subject).toBe('');
    await field.fill('東京');
    await page.keyboard.press('Enter');
    await inspector()
      .getByRole('button', { name: /^Subject: 東京/ })
      .waitFor();
  });

  it('is cancelled by Escape, which closes neither the field nor the inspector', async () => {
    const field = await openSubject();
    await field.fill('東京');
    await compose('きょうと');
    await page.keyboard.press('Escape');
    await expect.poll(() => field.inputValue()).toContain('東京');
  });
});

describe('the selection of a table', () => {
  const rows = 250;
  const grid = (): Locator => page.getByRole('grid', { name: 'Entities' });

  beforeEach(async () => {
    const entities = Array.from({ length: rows }, (_, index) => ({ name: `Entity ${index}` }));
    await ask(page, 'create_entities', { entities });
    await goTo(page, '#/table?sort=name');
    await grid().getByText('Entity 0', { exact: true }).click();
    await page.keyboard.press('Escape');
    await grid().focus();
  });

  /** Makes calls of a tool wait until the returned function is called. */
  const held = async (tool: string): Promise<() => Promise<void>> => {
    await page.evaluate((tool) => {
      const { limbic } = window;
      const run = limbic.call.bind(limbic);
      const gate = new Promise<void>((open) => Object.assign(window, { open }));
      limbic.call = (async (called: string, args: never) => {
        if (called === tool) await gate;
        return run(called as never, args);
      }) as typeof limbic.call;
    }, tool);
    return () => page.evaluate(() => (window as unknown as { open: () => void }).open());
  };

  it('takes no rows that arrive after another key', async () => {
    const release = await held('explore_records');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('1 entity selected').waitFor();
    await release();
    await ask(page, 'create_entities', { entities: [{ name: 'Entity 0', status: 'paused' }] });
    await grid().getByText('paused').waitFor();
    expect(await page.getByText(/selected$/).textContent()).toBe('1 entity selected');
  });

  it('takes no rows that arrive after Escape', async () => {
    const release = await held('explore_records');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Escape');
    await release();
    await ask(page, 'create_entities', { entities: [{ name: 'Entity 0', status: 'paused' }] });
    await grid().getByText('paused').waitFor();
    expect(await page.getByText(/selected$/).count()).toBe(0);
  });

  it('is deleted once by a key that is pressed twice', async () => {
    await page.keyboard.press('Space');
    await page.getByText('1 entity selected').waitFor();
    const release = await held('explore_entity');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await release();
    await notices().getByText('Deleted “Entity 0”').waitFor();
    await expect.poll(async () => (await names(page)).length).toBe(rows - 1);
    const deletions = await page.evaluate(
      () => window.limbic.log.calls.get().filter(({ tool }) => tool === 'delete_entities').length,
    );
    expect(deletions).toBe(1);
    expect(await notices().getByRole('alertdialog').count()).toBe(1);
  });
});

/** Opens the palette, types a text, and presses Enter as soon as all that it finds is there. */
async function enterInPalette(text: string): Promise<void> {
  await goTo(page, '#/stats');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('option', { name: /Other/ }).waitFor();
  await palette.getByRole('searchbox').fill(text);
  await palette.getByRole('option', { name: /Other/ }).waitFor({ state: 'detached' });
  // Until everything is found, Enter does nothing.
  await palette.locator('[data-settled]').waitFor();
  await page.keyboard.press('Enter');
}

it('Enter in the palette opens the record of the typed name, not one that is used more', async () => {
  await ask(page, 'create_entities', {
    entities: [{ name: 'Busy', observations: ['is behind the gateway'] }, { name: 'Gateway' }, { name: 'Other' }],
  });
  await ask(page, 'search_semantic', { query: 'behind' });
  await enterInPalette('gateway');
  await inspector().getByRole('heading', { level: 2, name: 'Gateway' }).waitFor();
});

it('Enter in the palette opens the record of the typed name, which over a hundred others mention', async () => {
  const others = Array.from({ length: 101 }, (_, index) => ({
    name: `Service ${index}`,
    observations: [`is behind the Gateway, at place ${index}`],
  }));
  // Of entities that are used alike, the newest come first.
  await ask(page, 'create_entities', { entities: [{ name: 'Gateway' }, ...others, { name: 'Other' }] });
  await enterInPalette('Gateway');
  await inspector().getByRole('heading', { level: 2, name: 'Gateway' }).waitFor();
});
