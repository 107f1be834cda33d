/** Records that another client changes while a person edits them: nobody's text is lost or overwritten unseen. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, call, closeNotices, goTo, names } from './support/memory.ts';

const built = builtPage();
let page: Page;
let errors: string[];
let count = 0;

beforeEach(async () => {
  await page?.close();
  count += 1;
  ({ page, errors } = await built.watchedTab(`?database=meanwhile-${count}.db&memory`));
});

const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
const notices = (): Locator => page.getByRole('region', { name: /Notifications/ });
const contentOf = async (id: string): Promise<string> => (await ask(page, 'explore_memory', { id })).memory.content;
const updates = (tool = 'memory_update'): Promise<number> =>
  page.evaluate((tool) => window.limbic.log.calls.get().filter((call) => call.tool === tool).length, tool);

/** Makes calls of a tool take longer, and fail if that is asked for. */
const delayed = (tool: string, fails = false): Promise<void> =>
  page.evaluate(
    ({ tool, fails }) => {
      const { limbic } = window;
      const run = limbic.call.bind(limbic);
      limbic.call = (async (called: string, args: never) => {
        if (called !== tool) return run(called as never, args);
        await new Promise((resolve) => setTimeout(resolve, 400));
        const failure = { error: 'The disk is full', code: 'disk_full' };
        return fails ? { ok: false, error: failure, text: '' } : run(called as never, args);
      }) as typeof limbic.call;
    },
    { tool, fails },
  );

async function openText(id: string, content: string): Promise<Locator> {
  await ask(page, 'memory_store', { id, content });
  await goTo(page, `#/table?kind=memories&sel=memory:${id}`);
  await inspector()
    .getByRole('button', { name: /^Text: / })
    .click();
  return inspector().getByRole('textbox', { name: 'Text' });
}

describe('a text that another client changes while its field is open', () => {
  it('is not overwritten when the field is left as it is', async () => {
    const field = await openText('tea', 'Ada likes tea');
    await ask(page, 'memory_update', { id: 'tea', content: 'Ada likes coffee' });
    const before = await updates();
    await expect.poll(() => field.inputValue()).toBe('Ada likes coffee');
    await page.keyboard.press('Tab');
    await inspector()
      .getByRole('button', { name: /^Text: Ada likes coffee/ })
      .waitFor();
    expect(await contentOf('tea')).toBe('Ada likes coffee');
    expect(await updates()).toBe(before);
  });

  it('is shown beside the typed one, and the person decides', async () => {
    for (const decision of ['Save mine', 'Keep theirs'] as const) {
      const id = decision === 'Save mine' ? 'mine' : 'theirs';
      const field = await openText(id, 'Ada likes tea');
      await field.fill('Ada likes green tea');
      await ask(page, 'memory_update', { id, content: 'Ada likes coffee' });
      const choice = inspector().getByRole('group', { name: 'Text: changed meanwhile' });
      await choice.getByText('Ada likes coffee').waitFor();
      // Neither leaving the field nor Enter decides.
      await page.keyboard.press('Control+Enter');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save mine');
      expect(await contentOf(id)).toBe('Ada likes coffee');
      await choice.getByRole('button', { name: decision }).click();
      await inspector()
        .getByRole('button', { name: /^Text: / })
        .waitFor();
      expect(await contentOf(id)).toBe(id === 'mine' ? 'Ada likes green tea' : 'Ada likes coffee');
    }
    expect(errors).toEqual([]);
  });

  it('keeps the inspector and the focus when the person decides by keys', async () => {
    const field = await openText('keys', 'Ada likes tea');
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);
    const choose = async (typed: string, theirs: string, key: string): Promise<void> => {
      await field.fill(typed);
      await ask(page, 'memory_update', { id: 'keys', content: theirs });
      await inspector().getByRole('group', { name: 'Text: changed meanwhile' }).getByText(theirs).waitFor();
      await page.keyboard.press('Control+Enter');
      expect(await focused()).toBe('Save mine');
      await page.keyboard.press(key);
    };
    await choose('Ada likes green tea', 'Ada likes coffee', 'Escape');
    await expect.poll(focused).toBe('Text: Ada likes coffee. Edit');
    await page.keyboard.press('Enter');
    await choose('Ada likes water', 'Ada likes milk', 'Enter');
    await expect.poll(() => contentOf('keys')).toBe('Ada likes water');
    await expect.poll(focused).toBe('Text: Ada likes water. Edit');
  });

  it('is not closed by a save while more is typed', async () => {
    const field = await openText('tea', 'Ada likes tea');
    await delayed('memory_update');
    await field.fill('Ada likes green tea');
    await page.keyboard.press('Control+Enter');
    await field.fill('Ada likes green tea, and water');
    await expect.poll(() => contentOf('tea')).toBe('Ada likes green tea');
    await page.waitForTimeout(500);
    expect(await field.inputValue()).toBe('Ada likes green tea, and water');
    expect(await inspector().getByRole('group', { name: 'Text: changed meanwhile' }).count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => contentOf('tea')).toBe('Ada likes green tea, and water');
    await field.waitFor({ state: 'hidden' });
  });

  it('with outer white space is not saved by opening and leaving it', async () => {
    await openText('space', '  Ada likes tea\n');
    await page.keyboard.press('Tab');
    await inspector()
      .getByRole('button', { name: /^Text: / })
      .waitFor();
    expect(await updates()).toBe(0);
  });

  it('is offered for copying when the record is deleted', async () => {
    const field = await openText('gone', 'Ada likes tea');
    await field.fill('Ada likes green tea');
    await ask(page, 'memory_forget', { id: 'gone' });
    await notices().getByText('Your text was not saved').waitFor();
    await notices().getByText('Ada likes green tea').waitFor();
    await notices().getByRole('button', { name: 'Copy' }).waitFor();
  });

  it('stays in its field when a refresh fails', async () => {
    const field = await openText('tea', 'Ada likes tea');
    await field.fill('Ada likes green tea');
    await page.evaluate(() => {
      const { limbic } = window;
      const run = limbic.call.bind(limbic);
      const failure = { error: 'The disk is full', code: 'disk_full' };
      limbic.call = ((tool: string, args: never) =>
        tool === 'explore_memory'
          ? Promise.resolve({ ok: false, error: failure, text: '' })
          : run(tool as never, args)) as typeof limbic.call;
    });
    await ask(page, 'memory_store', { id: 'other', content: 'Something else' });
    await inspector().getByText('The disk is full').waitFor();
    expect(await field.inputValue()).toBe('Ada likes green tea');
  });

  it('stays in its field when an observation is superseded', async () => {
    await ask(page, 'create_entities', {
      entities: [{ name: 'Atlas', entityType: 'Project', observations: ['It runs on one machine'] }],
    });
    await goTo(page, '#/table?sel=entity:Atlas');
    await inspector()
      .getByRole('button', { name: /^Observation: / })
      .click();
    const field = inspector().getByRole('textbox', { name: 'Observation' });
    await field.fill('It runs on two machines');
    const [row] = (await ask(page, 'explore_entity', { name: 'Atlas' })).observations;
    await ask(page, 'add_observations', { name: 'Atlas', observations: ['It runs on three'], supersedes: row?.id });
    const choice = inspector().getByRole('group', { name: 'Observation: changed meanwhile' });
    await choice.getByText('It runs on three').waitFor();
    expect(await field.inputValue()).toBe('It runs on two machines');
    await choice.getByRole('button', { name: 'Save mine' }).click();
    await inspector()
      .getByRole('button', { name: /^Observation: It runs on two machines/ })
      .waitFor();
    const { observations } = await ask(page, 'explore_entity', { name: 'Atlas' });
    expect(observations.filter(({ superseded_at }) => superseded_at === undefined)).toMatchObject([
      { content: 'It runs on two machines' },
    ]);
  });
});

describe('invisible characters', () => {
  const HEBREW = 'שלום\u200F, soft\u00ADhyphen';
  const hex = async (sql: string): Promise<unknown> => (await ask(page, 'query_sql', { sql })).rows[0]?.[0];
  const hexOf = (text: string): string => Buffer.from(text, 'utf8').toString('hex').toUpperCase();

  it('stay when another word of a text is corrected', async () => {
    const field = await openText('hebrew', HEBREW);
    await field.fill((await field.inputValue()).replace('hyphen', 'hyphens'));
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => hex("SELECT hex(content) FROM MEMORY_NODES WHERE id = 'hebrew'")).toBe(hexOf(`${HEBREW}s`));
  });

  it('are restored by the undo of a deletion', async () => {
    await openText('hebrew', HEBREW);
    await page.keyboard.press('Escape');
    await inspector().getByRole('button', { name: 'Delete memory' }).click();
    await notices().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => hex("SELECT hex(content) FROM MEMORY_NODES WHERE id = 'hebrew'")).toBe(hexOf(HEBREW));
    await ask(page, 'create_entities', {
      entities: [{ name: 'Atlas', entityType: 'Project', observations: [HEBREW] }],
    });
    await closeNotices(page);
    await goTo(page, '#/table?sel=entity:Atlas');
    await inspector().getByRole('button', { name: 'Delete observation' }).click();
    await expect.poll(() => hex('SELECT count(*) FROM observations')).toBe(0);
    await notices().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => hex('SELECT hex(content) FROM observations')).toBe(hexOf(HEBREW));
  });

  it('are not made of a mark that an observation has as text', async () => {
    const text = 'Write <U+200F> after numbers';
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas', observations: [text] }] });
    await goTo(page, '#/table?sel=entity:Atlas');
    await inspector().getByRole('button', { name: 'Delete observation' }).click();
    await expect.poll(() => hex('SELECT count(*) FROM observations')).toBe(0);
    await notices().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => hex('SELECT hex(content) FROM observations')).toBe(hexOf(text));
    await inspector()
      .getByRole('button', { name: /^Observation: / })
      .click();
    await inspector().getByRole('textbox', { name: 'Observation' }).fill(`${text}!`);
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(() => hex('SELECT hex(content) FROM observations ORDER BY id DESC LIMIT 1'))
      .toBe(hexOf(`${text}!`));
  });
});

it('a draft of a split stays when the entity changes', async () => {
  const facts = Array.from(
    { length: 30 },
    (_, index) => `Fact ${index} of the ${index % 2 === 0 ? 'engine' : 'garden'}`,
  );
  await ask(page, 'create_entities', { entities: [{ name: 'Big', entityType: 'Project', observations: facts }] });
  await goTo(page, '#/maintenance?part=splits&entity=Big');
  await page.getByRole('button', { name: 'Add part' }).click();
  const part = page.getByRole('textbox', { name: 'Part name' }).last();
  await part.fill('My own part');
  await ask(page, 'add_observations', { name: 'Big', observations: ['A new fact'] });
  await page.getByRole('main').getByText('A new fact').waitFor();
  expect(await part.inputValue()).toBe('My own part');
  await page.getByText('The entity has changed meanwhile').waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  expect(await page.getByText('The entity has changed meanwhile').count()).toBe(0);
});

it('a list that another client reorders keeps the entity that is shown, until it is gone', async () => {
  const facts = (name: string, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => {
      const topic = index % 2 === 0 ? 'engine' : 'garden';
      return `Fact ${from + index} of the ${topic} of ${name}`;
    });
  await ask(page, 'create_entities', {
    entities: [
      { name: 'Alpha', entityType: 'Project', observations: facts('Alpha', 0, 50) },
      { name: 'Beta', entityType: 'Project', observations: facts('Beta', 0, 40) },
    ],
  });
  await goTo(page, '#/maintenance?part=splits');
  await page.getByRole('heading', { name: 'Alpha', level: 2 }).waitFor();
  await ask(page, 'add_observations', { name: 'Beta', observations: facts('Beta', 40, 90) });
  await page.getByRole('option', { name: /Beta.*90 observations/ }).waitFor();
  expect(await page.getByRole('heading', { name: 'Alpha', level: 2 }).count()).toBe(1);
  await ask(page, 'delete_entities', { entityNames: ['Alpha'] });
  await page.getByRole('heading', { name: 'Beta', level: 2 }).waitFor();
});

describe('a search for a record', () => {
  it('chooses nothing of an earlier result by Enter', async () => {
    await ask(page, 'create_entities', { entities: ['Atlas', 'Rabat', 'Ramallah'].map((name) => ({ name })) });
    await ask(page, 'search_semantic', { query: 'Rabat', limit: 1 });
    await goTo(page, '#/table?sel=entity:Atlas');
    await inspector().getByRole('button', { name: 'Add relation' }).click();
    await page.getByRole('textbox', { name: 'Type, such as uses' }).fill('uses');
    const search = page.getByRole('searchbox', { name: 'Other entity' });
    await search.focus();
    await page.keyboard.type('Ra');
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    await expect.poll(() => search.getAttribute('aria-activedescendant')).not.toBeNull();
    // Faster than the search.
    await page.keyboard.type('m');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    expect((await ask(page, 'explore_entity', { name: 'Atlas' })).relations).toEqual([]);
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await ask(page, 'explore_entity', { name: 'Atlas' })).relations)
      .toMatchObject([{ to: 'Ramallah' }]);
  });
});

it('a new text that is added twice at once is stored once, and text typed during the save stays', async () => {
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
  await goTo(page, '#/table?sel=entity:Atlas');
  await inspector().getByRole('button', { name: 'Add reflection' }).click();
  const field = inspector().getByRole('textbox', { name: 'New reflection' });
  await field.fill('Clocks drift');
  await delayed('add_reflection');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await field.fill('Clocks drift, and');
  await inspector().getByRole('listitem').filter({ hasText: 'Clocks drift' }).first().waitFor();
  await page.waitForTimeout(600);
  expect((await ask(page, 'explore_entity', { name: 'Atlas' })).reflections).toHaveLength(1);
  expect(await field.inputValue()).toBe('Clocks drift, and');
});

it('a new text that is closed during a save that fails can be copied', async () => {
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
  await goTo(page, '#/table?sel=entity:Atlas');
  await inspector().getByRole('button', { name: 'Add reflection' }).click();
  await inspector().getByRole('textbox', { name: 'New reflection' }).fill('Clocks drift');
  await delayed('add_reflection', true);
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Escape');
  await notices().getByText('Your text was not saved').waitFor();
  await notices().getByText('Clocks drift').waitFor();
});

it('a duplicate that is kept with a new wording leaves no text behind', async () => {
  // The longer text has all words of the other, and at least twice as many.
  const observations = ['Atlas runs on two machines in the cellar of the old house', 'Atlas runs on two machines'];
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas', observations }] });
  await goTo(page, '#/maintenance?part=duplicates&entity=Atlas');
  await page.getByRole('button', { name: 'Reword…' }).click();
  await page.getByRole('textbox', { name: 'New wording' }).fill('Atlas runs on three machines in a cellar');
  await page.getByRole('button', { name: 'Keep with new wording' }).click();
  await notices().getByText('Kept: Atlas runs on three machines in a cellar').waitFor();
  await page.getByText('No near-duplicates here').waitFor();
  expect(await notices().getByText('Your text was not saved').count()).toBe(0);
});

describe('an action on selected rows', () => {
  const selectAll = async (): Promise<void> => {
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+a');
  };

  it('undoes to the values just before, and leaves out rows that are gone', async () => {
    for (const id of ['one', 'two']) await ask(page, 'memory_store', { id, content: `Memory ${id}`, tier: 'l4' });
    await goTo(page, '#/table?kind=memories');
    await page.getByRole('grid').getByText('Memory one').waitFor();
    await selectAll();
    await ask(page, 'memory_update', { id: 'one', tier: 'l1' });
    await page.getByRole('button', { name: 'Tier…' }).click();
    await page.getByRole('combobox', { name: 'Tier' }).selectOption('l2');
    await page.getByRole('button', { name: 'Change' }).click();
    await notices().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await ask(page, 'explore_memory', { id: 'two' })).memory.tier).toBe('l4');
    expect((await ask(page, 'explore_memory', { id: 'one' })).memory.tier).toBe('l1');
    await closeNotices(page);
    await selectAll();
    await ask(page, 'memory_forget', { id: 'one' });
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notices().getByText('Deleted 1 memory', { exact: true }).waitFor();
    expect((await call(page, 'explore_memory', { id: 'two' })).ok).toBe(false);
  });
});

it('the undo of a deleted entity restores the explicit links of memories', async () => {
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
  await ask(page, 'memory_store', { id: 'roof', content: 'The roof is new', entities: ['Atlas'] });
  await goTo(page, '#/table?sel=entity:Atlas');
  await inspector().getByRole('button', { name: 'Delete entity' }).click();
  await expect.poll(() => names(page)).toEqual([]);
  await notices().getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => names(page)).toEqual(['Atlas']);
  await expect
    .poll(async () => (await ask(page, 'explore_memory', { id: 'roof' })).entities)
    .toMatchObject([{ name: 'Atlas', given: true }]);
});
