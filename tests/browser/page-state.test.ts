/** What the page keeps: typed arguments, places in lists, the history of the browser, the focus, and days. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, goTo } from './support/memory.ts';

const built = builtPage();
let page: Page;
let errors: string[];

const NAMES = ['Atlas', 'Borealis', 'Cinder', 'Drift', 'Ember'];

beforeAll(async () => {
  ({ page, errors } = await built.watchedTab('?database=page-state.db&memory'));
  await ask(page, 'create_entities', {
    entities: NAMES.map((name) => ({ name, entityType: 'Project', observations: [`${name} is a project`] })),
  });
});

const steps = (): Promise<number> => page.evaluate(() => history.length);
const callsOf = (tool: string): Promise<unknown[]> =>
  page.evaluate(
    (tool) =>
      window.limbic.log.calls
        .get()
        .filter((call) => call.tool === tool)
        .map(({ args }) => args),
    tool,
  );

describe('the form of a tool', () => {
  const field = () => page.getByRole('textbox', { name: /^metadata/ });
  const button = () => page.getByRole('button', { name: 'Call', exact: true });

  it('does not send a call without a JSON field that is not valid', async () => {
    await goTo(page, '#/tools?tool=memory_store');
    await page
      .getByRole('textbox', { name: /^content/ })
      .first()
      .fill('A memory with metadata');
    await field().fill('{"a":1');
    expect(await button().isDisabled()).toBe(true);
    await page.keyboard.press('Control+Enter');
    expect(await callsOf('memory_store')).toEqual([]);
    await page.getByText('This is not valid JSON yet').waitFor();
    // The other mode could not show it.
    await page.getByRole('radio', { name: 'JSON' }).click({ force: true });
    expect(await field().inputValue()).toBe('{"a":1');
    await field().fill('{"a":1}');
    expect(await button().isDisabled()).toBe(false);
  });

  it('shows in a JSON field what it sends', async () => {
    await field().fill('{"a": 2}');
    await page.getByRole('button', { name: 'Example' }).click();
    expect(await field().inputValue()).not.toContain('2');
  });

  it('keeps invalid JSON of all arguments', async () => {
    await page.getByRole('radio', { name: 'JSON' }).click({ force: true });
    const all = page.getByRole('textbox', { name: 'Arguments as JSON' });
    await all.fill('{"content": "x"');
    await page.getByRole('radio', { name: 'Form' }).click({ force: true });
    expect(await all.inputValue()).toBe('{"content": "x"');
    await all.fill('{"content": "x"}');
    await page.getByRole('radio', { name: 'Form' }).click({ force: true });
    await field().waitFor();
  });
});

it('the SQL editor shows the statement of the result after Back', async () => {
  await goTo(page, `#/sql?q=${encodeURIComponent('SELECT 1 AS first')}`);
  await page.getByRole('columnheader', { name: 'first' }).waitFor();
  await goTo(page, `#/sql?q=${encodeURIComponent('SELECT 2 AS second')}`);
  await page.getByRole('columnheader', { name: 'second' }).waitFor();
  const editor = page.getByRole('textbox', { name: 'SQL' });
  expect(await editor.inputValue()).toBe('SELECT 2 AS second');
  await page.goBack();
  await page.getByRole('columnheader', { name: 'first' }).waitFor();
  expect(await editor.inputValue()).toBe('SELECT 1 AS first');
});

it('a search that was asked before shows its answer after Back, and counts no access', async () => {
  const question = page.getByRole('searchbox', { name: 'Question' });
  const results = page.getByRole('region', { name: 'Results' });
  const ask = async (text: string): Promise<void> => {
    await question.fill(text);
    await page.keyboard.press('Enter');
  };
  await goTo(page, '#/search');
  await ask('Borealis');
  await results.getByRole('link', { name: 'Borealis' }).first().waitFor();
  await ask('Cinder');
  await results.getByRole('link', { name: 'Cinder' }).first().waitFor();
  const before = (await callsOf('search_semantic')).length;
  await page.goBack();
  await expect.poll(() => question.inputValue()).toBe('Borealis');
  await results.getByRole('link', { name: 'Borealis' }).first().waitFor();
  await page.waitForTimeout(500);
  expect((await callsOf('search_semantic')).length).toBe(before);
  // The user asks again.
  await question.press('Enter');
  await expect.poll(async () => (await callsOf('search_semantic')).length).toBe(before + 1);
  await ask('Cinder');
  await expect.poll(async () => (await callsOf('search_semantic')).length).toBe(before + 2);
  await page.waitForTimeout(500);
  expect((await callsOf('search_semantic')).length).toBe(before + 2);
  // A link to a search is an action, too, also to one that was asked before.
  await goTo(page, '#/search?q=Borealis');
  await expect.poll(async () => (await callsOf('search_semantic')).length).toBe(before + 3);
  await results.getByRole('link', { name: 'Borealis' }).first().click();
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { name: 'Borealis' }).waitFor();
  await goTo(page, '#/stats');
  await page.goBack();
  await results.getByRole('link', { name: 'Borealis' }).first().waitFor();
  await page.waitForTimeout(500);
  expect((await callsOf('search_semantic')).length).toBe(before + 3);
});

it('a search whose entity was deleted is repeated after Back', async () => {
  const results = page.getByRole('region', { name: 'Results' });
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await ask(page, 'create_entities', { entities: [{ name: 'Fjord' }] });
  await goTo(page, '#/search?q=Fjord');
  await results.getByRole('link', { name: 'Fjord' }).first().waitFor();
  await goTo(page, '#/table?sel=entity:Fjord');
  await inspector.getByRole('button', { name: 'Delete entity' }).click();
  await inspector.waitFor({ state: 'hidden' });
  await goTo(page, '#/stats');
  const before = (await callsOf('search_semantic')).length;
  for (let step = 0; step < 3; step += 1) await page.goBack();
  await expect.poll(async () => (await callsOf('search_semantic')).length).toBe(before + 1);
  await expect.poll(() => results.getByRole('link', { name: 'Fjord' }).count()).toBe(0);
});

describe('the history of the browser', () => {
  it('gets no entry for each arrow key in the list of nodes', async () => {
    await goTo(page, '#/graph?most=10');
    await page.getByRole('button', { name: 'List nodes' }).click();
    const nodes = page.getByRole('listbox', { name: 'Nodes' });
    await nodes.getByRole('option', { name: 'Atlas' }).click();
    await page.waitForFunction(() => location.hash.includes('Atlas'));
    const before = await steps();
    for (const name of NAMES.slice(1)) {
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction((name) => location.hash.includes(name), name);
    }
    expect(await steps()).toBe(before);
  });

  it('shows a hidden node again by Back, and a button does too', async () => {
    await goTo(page, '#/graph?most=10&sel=entity:Atlas');
    await page.getByRole('button', { name: /^Hide/ }).click();
    await page.waitForFunction(() => location.hash.includes('hide=Atlas'));
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes('hide='));
    await page.goForward();
    await page.getByRole('button', { name: /^Filter/ }).click();
    await page.getByRole('button', { name: 'Show 1 hidden node again' }).click();
    await page.waitForFunction(() => !location.hash.includes('hide='));
    await page.keyboard.press('Escape');
  });
});

it('the list of events keeps the place of the reader when an agent writes', async () => {
  for (let start = 0; start < 700; start += 350) {
    await ask(page, 'add_observations', {
      name: 'Atlas',
      observations: Array.from({ length: 350 }, (_, index) => `Fact ${start + index}`),
    });
  }
  await goTo(page, '#/timeline');
  const list = page.getByRole('listbox', { name: 'Events' });
  await list.getByRole('option').first().waitFor();
  const height = (): Promise<number> => list.evaluate((element) => element.scrollHeight);
  const end = (): Promise<void> => list.evaluate((element) => void (element.scrollTop = element.scrollHeight));
  for (const events of [200, 400]) {
    await expect.poll(height).toBeGreaterThan(events * 30 - 60);
    await end();
  }
  await expect.poll(height).toBeGreaterThan(590 * 30);
  const before = await height();
  const asked = (await callsOf('explore_events')).length;
  await ask(page, 'create_entities', { entities: [{ name: 'Fathom' }] });
  await expect.poll(async () => (await callsOf('explore_events')).length).toBeGreaterThan(asked + 2);
  await page.waitForTimeout(300);
  expect(await height()).toBeGreaterThanOrEqual(before);
});

it('the inspector that covers a narrow window takes the focus, and Escape closes it', async () => {
  await page.setViewportSize({ width: 480, height: 740 });
  await goTo(page, '#/table');
  const grid = page.getByRole('grid');
  await grid.getByText('Borealis', { exact: true }).first().waitFor();
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.waitFor();
  expect(await inspector.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => inspector.count()).toBe(0);
  await expect.poll(() => grid.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
});

it('causes no errors', () => expect(errors).toEqual([]));
