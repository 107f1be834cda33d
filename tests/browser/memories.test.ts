/** Memories: the inspector, the graph. */
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../web/src/source/tools.ts';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { ask, closeNotices, goTo } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';
import { fillSmall } from './support/small-memory.ts';

const THEMES = ['light', 'dark'] as const;
const shots = screenshotFolder('memories');

const built = builtPage();
let page: Page;
let errors: string[];

beforeAll(async () => {
  ({ page, errors } = await built.watchedTab('?database=memories.db'));
  await fillSmall(page);
});

const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
const section = (name: string): Locator => inspector().getByRole('region', { name });
const memory = (id: string): Promise<Output<'explore_memory'>> => ask(page, 'explore_memory', { id });

/** The number of changes of a memory. */
const updates = (): Promise<number> =>
  page.evaluate(() => window.limbic.log.calls.get().filter(({ tool }) => tool === 'memory_update').length);
/** The accessible name of the focused element. */
const focused = (): Promise<string> =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute('aria-label') ??
      (document.activeElement as HTMLElement | null)?.innerText ??
      '',
  );

/** Opens the inspector, and closes earlier notices, which may cover it. */
async function inspect(id: string, view = 'table'): Promise<void> {
  await closeNotices(page);
  await goTo(page, `#/${view}?sel=memory:${id}`);
  await inspector().getByRole('region', { name: 'Validity' }).waitFor();
}

describe('the inspector of a memory', () => {
  it('shows all data of a memory by its address', async () => {
    await inspect('sqlite');
    await page.reload();
    await section('Validity').getByText('Valid', { exact: true }).waitFor();
    await section('Links').getByRole('link', { name: 'Atlas should move to a database server soon' }).waitFor();
    await section('Links').getByText('in the domain Project Atlas').waitFor();
    await section('Mentions').getByRole('link', { name: 'Atlas' }).waitFor();
    await section('Metadata').getByText('ticket').waitFor();
    expect(await section('Confidence').getByRole('img').getAttribute('aria-label')).toMatch(
      /^Confidence: .*100 % now, \d+ % expected on .* if it is not used\./,
    );
    await inspect('backup');
    await section('Earlier versions').getByText('The nightly backup takes ten minutes').waitFor();
    await section('Log').getByText('it was measured').waitFor();
    await inspect('mondays');
    await section('Validity').getByText('it was moved to Thursdays').waitFor();
    await section('Validity').getByRole('link', { name: 'From May on the team meets every Thursday' }).waitFor();
    await inspect('postgres');
    await section('Validity').getByText('Contradicted by a memory').waitFor();
  });

  it.each(THEMES)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const id of ['sqlite', 'mondays', 'backup']) {
      await inspect(id);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(shots, `${id}-${colorScheme}.png`) });
      expect(await violations(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('fits a narrow window', async () => {
    for (const width of [320, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await inspect('sqlite');
      await page.screenshot({ path: join(shots, `sqlite-${width}.png`) });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('edits its text and fields in place', async () => {
    await inspect('deploys');
    await inspector()
      .getByRole('button', { name: /^Text: Deploys go out/ })
      .click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Deploys go out on Tuesdays and Thursdays');
    await page.keyboard.press('Control+Enter');
    await section('Earlier versions').getByText('Deploys go out on Tuesdays only').waitFor();
    await inspector()
      .getByRole('button', { name: /^Tags, / })
      .click();
    await page.keyboard.type('deploy, week');
    await page.keyboard.press('Enter');
    await inspector()
      .getByRole('button', { name: /: deploy, week/ })
      .waitFor();
    await inspector().getByRole('combobox', { name: 'Category' }).selectOption('fact');
    await inspector().getByRole('button', { name: /^Pin:/ }).click();
    await inspector()
      .getByRole('button', { name: /^Pinned/ })
      .waitFor();
    const { memory: stored } = await memory('deploys');
    expect(stored).toMatchObject({
      content: 'Deploys go out on Tuesdays and Thursdays',
      tags: ['deploy', 'week'],
      category: 'fact',
      pinned: true,
    });
    await inspector()
      .getByRole('button', { name: /^Valid from/ })
      .click();
    await page.keyboard.type('2026-01-02');
    await page.keyboard.press('Enter');
    await inspector()
      .getByRole('button', { name: /^Valid from: 2026-01-02/ })
      .waitFor();
    // Optional fields can be cleared.
    await inspector()
      .getByRole('button', { name: /^Tags, / })
      .click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await memory('deploys')).memory.tags).toEqual([]);
  });

  it("shows a tool's error", async () => {
    await inspect('deploys');
    await inspector()
      .getByRole('button', { name: /^Importance/ })
      .click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('99');
    await page.keyboard.press('Enter');
    const notice = page.getByRole('alertdialog').filter({ hasText: 'importance' });
    await notice.waitFor();
    // Focusing the field to read it causes no further call.
    await notice.getByRole('button', { name: 'Close' }).click();
    await page.waitForTimeout(500);
    expect(await notice.count()).toBe(0);
    await inspector()
      .getByRole('textbox', { name: /^Importance/ })
      .press('Escape');
    await inspector()
      .getByRole('button', { name: /^Importance.*: 1\. Edit/ })
      .waitFor();
    expect((await memory('deploys')).memory.importance).toBe(1);
  });

  it('accepts numbers as people write them, and rejects others', async () => {
    await ask(page, 'memory_store', { id: 'loose', content: 'The key of the shed hangs behind the door' });
    await inspect('loose');
    await closeNotices(page);
    const before = await updates();
    const type = async (name: RegExp, text: string): Promise<void> => {
      await inspector().getByRole('button', { name }).or(inspector().getByRole('textbox', { name })).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    for (const text of ['abc', 'high', '1.2.3']) {
      await type(/^Importance/, text);
      await page.getByText(`“${text}” is not a number.`).waitFor();
      expect(
        await inspector()
          .getByRole('textbox', { name: /^Importance/ })
          .inputValue(),
      ).toBe(text);
    }
    expect(await updates()).toBe(before);
    await type(/^Importance/, '2,5');
    await expect.poll(async () => (await memory('loose')).memory.importance).toBe(2.5);
    await type(/^Stored confidence/, '80 %');
    await expect.poll(async () => (await memory('loose')).memory.confidence).toBeCloseTo(0.8);
    await type(/^Stored confidence/, '0,9');
    await expect.poll(async () => (await memory('loose')).memory.confidence).toBeCloseTo(0.9);
    await inspector().getByRole('button', { name: 'Stored confidence: 0.9. Edit' }).waitFor();
    await closeNotices(page);
  });

  it('changes an enum by keyboard with one save', async () => {
    await inspect('loose');
    const tier = inspector().getByRole('combobox', { name: 'Tier' });
    await ask(page, 'memory_update', { id: 'loose', tier: 'l1' });
    await expect.poll(() => tier.inputValue()).toBe('l1');
    const before = await updates();
    await tier.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await tier.inputValue()).toBe('l3');
    expect(await updates()).toBe(before);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await memory('loose')).memory.tier).toBe('l3');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    expect(await tier.inputValue()).toBe('l3');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await memory('loose')).memory.tier).toBe('l2');
    expect(await updates()).toBe(before + 2);
  });

  it('moves to another domain after a confirmation, with undo', async () => {
    await inspect('loose');
    await inspector().getByRole('button', { name: 'Move to another domain' }).click();
    const question = page.getByRole('alertdialog', { name: 'Move 1 memory?' });
    await question.getByText('which has no strength').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await memory('loose')).memory.domain).toBe('general');
    await inspector().getByRole('button', { name: 'Move to another domain' }).click();
    await question.getByLabel('Target domain').selectOption('atlas');
    await question.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Moved 1 memory to Project Atlas').waitFor();
    await inspector().getByText('Project Atlas', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect.poll(async () => (await memory('loose')).memory.domain).toBe('general');
    await closeNotices(page);
  });

  it('restores the keyboard focus', async () => {
    await inspect('loose');
    for (const key of ['Enter', 'Escape']) {
      await inspector()
        .getByRole('button', { name: /^Subject/ })
        .focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type(`keys, ${key}`);
      await page.keyboard.press(key);
      await expect.poll(focused).toBe('Subject: keys, Enter. Edit');
    }
    await ask(page, 'memory_link', { from_id: 'loose', to_id: 'commits', type: 'supports' });
    await ask(page, 'memory_link', { from_id: 'loose', to_id: 'freeze', type: 'supports' });
    const links = section('Links').getByRole('listitem');
    for (const left of [1, 0]) {
      await expect.poll(() => links.count()).toBe(left + 1);
      await links.first().getByRole('button', { name: 'Remove link' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => links.count()).toBe(left);
      await expect.poll(focused).toMatch(left === 1 ? /^(Ines prefers|No deploys)/ : /^Links/);
    }
    await section('Validity').getByRole('button', { name: 'Invalidate memory' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Invalidate memory' });
    // A restored memory can be undone and redone.
    expect(await dialog.getByText('This cannot be undone').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Invalidate' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Validity');
    await inspector().getByRole('button', { name: 'Delete memory' }).focus();
    await page.keyboard.press('Enter');
    await inspector().waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    await closeNotices(page);
  });

  it('changes the strength of a link, and reports a link that became a reference', async () => {
    await inspect('deploys');
    await ask(page, 'memory_link', { from_id: 'deploys', to_id: 'commits', type: 'refines', strength: 0.5 });
    const line = section('Links').getByRole('listitem').filter({ hasText: 'refines Ines' });
    await line.getByRole('button', { name: 'Strength, 0 to 1: 0.5. Edit' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('0,7');
    await page.keyboard.press('Enter');
    await line.getByRole('button', { name: 'Strength, 0 to 1: 0.7. Edit' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await line.getByRole('button', { name: 'Strength, 0 to 1: 0.5. Edit' }).waitFor();
    await line.getByRole('button', { name: 'Remove link' }).click();
    await line.waitFor({ state: 'detached' });
    await closeNotices(page);
    await ask(page, 'memory_store', { id: 'far', content: 'Far from here', domain: 'atlas' });
    for (const [type, told] of [
      ['supports', 'there is at most one from one memory to another.'],
      ['refines', 'replaces the reference of type “supports”'],
    ] as const) {
      await section('Links').getByRole('button', { name: 'Add link' }).click();
      await page.getByLabel('Type, such as supports').fill(type);
      await page.getByPlaceholder('Find the other memory').fill('Far from');
      await page.getByRole('option', { name: /Far from here/ }).click();
      await page.getByRole('alertdialog').filter({ hasText: 'The link became a reference' }).getByText(told).waitFor();
      await section('Links')
        .getByRole('listitem')
        .filter({ hasText: type })
        .getByText('in the domain Project Atlas')
        .waitFor();
      await closeNotices(page);
    }
    await ask(page, 'memory_forget', { id: 'far' });
  });

  it('adds and removes a link, with undo', async () => {
    await inspect('deploys');
    await section('Links').getByRole('button', { name: 'Add link' }).click();
    await page
      .getByRole('combobox', { name: 'Type, such as supports' })
      .or(page.getByLabel('Type, such as supports'))
      .fill('supports');
    await page
      .getByRole('searchbox', { name: 'The other memory' })
      .or(page.getByPlaceholder('Find the other memory'))
      .first()
      .fill('short commit');
    await page.getByRole('option', { name: /short commit messages/ }).click();
    await section('Links')
      .getByRole('link', { name: /short commit messages/ })
      .waitFor();
    expect((await memory('deploys')).links.map(({ type, to_id }) => [type, to_id])).toContainEqual([
      'supports',
      'commits',
    ]);
    await section('Links')
      .getByRole('listitem')
      .filter({ hasText: 'short commit' })
      .getByRole('button', { name: 'Remove link' })
      .click();
    await section('Links')
      .getByRole('link', { name: /short commit messages/ })
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await section('Links')
      .getByRole('link', { name: /short commit messages/ })
      .waitFor();
  });

  it('invalidates it with a reason and a replacement, with undo', async () => {
    await inspect('restore');
    const before = shapeOf(await memory('restore'));
    await section('Validity').getByRole('button', { name: 'Invalidate memory' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invalidate memory' });
    await dialog.getByLabel('Reason (optional)').fill('tried again in May');
    await dialog.getByPlaceholder('Replaced by (optional)').fill('audit');
    await page.getByRole('option', { name: /week of the audit/ }).click();
    await dialog.getByText('Replaced by “No deploys in the week of the audit”').waitFor();
    await dialog.getByRole('button', { name: 'Invalidate' }).click();
    await section('Validity').getByText('tried again in May').waitFor();
    await section('Validity').getByRole('link', { name: 'No deploys in the week of the audit' }).waitFor();
    expect((await memory('restore')).memory).toMatchObject({ status: 'ended', superseded_by: 'freeze' });
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await section('Validity').getByText('Valid', { exact: true }).waitFor();
    await expect.poll(async () => shapeOf(await memory('restore'))).toEqual(before);
  });

  it('deletes it, and undo restores dates, history, links and accesses', async () => {
    for (const id of ['backup', 'freeze', 'sqlite', 'thursdays']) {
      await inspect(id);
      // Times are stored in seconds; a memory stored again today would have another time.
      await page.waitForTimeout(1100);
      const before = shapeOf(await memory(id));
      await inspector().getByRole('button', { name: 'Delete memory' }).click();
      await page.getByText('Deleted 1 memory').waitFor();
      const gone = await page.evaluate((id) => window.limbic.call('explore_memory', { id }), id);
      expect(gone).toMatchObject({ ok: false, error: { code: 'memory_not_found' } });
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await expect
        .poll(async () => (await page.evaluate((id) => window.limbic.call('explore_memory', { id }), id)).ok)
        .toBe(true);
      await expect.poll(async () => shapeOf(await memory(id))).toEqual(before);
      await expect.poll(() => page.getByText('Deleted 1 memory').count()).toBe(0);
    }
    // The superseded memory names its successor again.
    expect((await memory('mondays')).memory.superseded_by).toBe('thursdays');
  });

  it('reports an unknown id', async () => {
    await goTo(page, '#/table?sel=memory:nobody');
    await inspector().getByRole('alert').getByText('nobody').waitFor();
  });
});

describe('the command palette', () => {
  it('finds a memory by part of its text', async () => {
    await goTo(page, '#/stats');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find by name, type or text').fill('nightly backup');
    await page.getByRole('option', { name: /nightly backup/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await section('Validity').waitFor();
    expect(page.url()).toContain('sel=memory%3Abackup');
  });
});

describe('an entity', () => {
  it('lists the memories that mention it', async () => {
    await closeNotices(page);
    await goTo(page, '#/table?sel=entity:Ines');
    await section('Memories')
      .getByRole('link', { name: /Ines prefers short/ })
      .waitFor();
    // Other neighbours are not part of the answer.
    const answer = await page.evaluate(
      () =>
        window.limbic.log.calls.get().findLast(({ tool, args }) => tool === 'explore_graph' && args.includes('"Ines"'))
          ?.answer,
    );
    expect((JSON.parse(answer ?? '') as Output<'explore_graph'>).nodes.map(({ name }) => name)).toEqual(['Ines']);
    await section('Memories')
      .getByRole('link', { name: /Ines prefers short/ })
      .click();
    await section('Validity').waitFor();
    await section('Mentions').getByRole('link', { name: 'Ines' }).click();
    await inspector().getByRole('heading', { name: 'Ines', exact: true }).waitFor();
  });
});

describe('the graph with memories', () => {
  /** The counts, without the status text of a running layout. */
  const counts = async (): Promise<string> => {
    const status = await page.getByRole('toolbar', { name: 'Graph' }).getByRole('status').innerText();
    return status.split('\n')[0] ?? '';
  };
  const drawn = (name: string): Locator => page.getByRole('listbox', { name: 'Nodes' }).getByRole('option', { name });

  it('draws entities, memories or both', async () => {
    await goTo(page, '#/graph?focus=Atlas');
    await expect.poll(counts).toMatch(/^\d+ entities, \d+ links$/);
    const shown = page.getByRole('radiogroup', { name: 'Show' });
    await shown.getByRole('radio', { name: 'Both' }).click();
    await expect.poll(counts).toMatch(/^\d+ entities, \d+ memories, \d+ links$/);
    await page.getByText('running layout…').waitFor({ state: 'hidden' });
    await page.screenshot({ path: join(shots, 'graph-both.png') });
    // The focus is an entity, which a graph of memories cannot contain: it shows the most used memories.
    await shown.getByRole('radio', { name: 'Memories' }).click();
    await expect.poll(counts).toMatch(/^\d+ memories, \d+ links$/);
    await page.getByText('running layout…').waitFor({ state: 'hidden' });
    await page.screenshot({ path: join(shots, 'graph-memories.png') });
    await shown.getByRole('radio', { name: 'Entities' }).click();
    await expect.poll(counts).toMatch(/^\d+ entities, \d+ links$/);
  });

  it.each(THEMES)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const [name, hash] of [
      ['memories', 'shows=memories&most=200'],
      ['around', 'mfocus=sqlite&sel=memory:sqlite'],
      ['domain', 'shows=all&most=200&color=domain'],
    ] as const) {
      await goTo(page, `#/graph?${hash}`);
      await page.getByText('running layout…').waitFor({ state: 'hidden' });
      await page.waitForTimeout(600);
      await page.screenshot({ path: join(shots, `graph-${name}-${colorScheme}.png`) });
      expect(await violations(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('focuses on a memory, expands its neighbours and hides it', async () => {
    await goTo(page, '#/graph?mfocus=freeze');
    await page.getByRole('button', { name: 'List nodes' }).click();
    await drawn('No deploys in the week of the audit').click();
    await section('Validity').waitFor();
    const bar = page.getByRole('toolbar', { name: 'No deploys in the week of the audit in the graph' });
    expect(await drawn('commits').count()).toBe(0);
    await drawn('Deploys go out').first().click();
    await page
      .getByRole('toolbar', { name: /^Deploys .* in the graph/ })
      .getByRole('button', { name: 'Expand neighbours' })
      .click();
    await drawn('Ines prefers short commit messages').waitFor();
    expect(page.url()).toContain('mopen=deploys');
    await drawn('No deploys in the week of the audit').click();
    await bar.getByRole('button', { name: 'Lock position' }).click();
    await bar.getByRole('button', { name: 'Unlock position' }).waitFor();
    await bar.getByRole('button', { name: 'Focus on it' }).click();
    await expect.poll(() => page.url()).toContain('mfocus=freeze');
    expect(page.url()).not.toContain('mopen');
    await bar.getByRole('button', { name: 'Hide from graph' }).click();
    await drawn('No deploys in the week of the audit').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'List nodes' }).click();
  });

  it('follows only links of a type', async () => {
    await goTo(page, '#/graph?shows=memories&mfocus=sqlite&ended=1');
    await expect.poll(counts).toMatch(/^4 memories|^3 memories/);
    await goTo(page, '#/graph?shows=memories&mfocus=sqlite&ended=1&rel=contradicts');
    await expect.poll(counts).toBe('2 memories, 1 link');
    await page.getByRole('button', { name: 'Filter (2)' }).click();
    const filter = page.getByRole('dialog', { name: 'Graph filter' });
    expect(await filter.getByRole('checkbox', { name: 'contradicts' }).isChecked()).toBe(true);
    expect(await filter.getByRole('checkbox', { name: 'supports' }).isChecked()).toBe(false);
    await page.keyboard.press('Escape');
  });

  it('is exported with squares for memories', async () => {
    await goTo(page, '#/graph?mfocus=freeze');
    await expect.poll(counts).toMatch(/memor/);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export picture' }).click();
    await page.getByRole('menuitem', { name: 'Export as SVG' }).click();
    const svg = readFileSync(await (await saved).path(), 'utf8');
    expect(svg).toMatch(/<rect x=/);
    expect(svg).toContain('stroke-dasharray');
    expect(svg).toContain('<circle');
  });

  it('can start from a memory', async () => {
    // An entity cannot be the start of a graph of memories.
    await goTo(page, '#/graph?focus=Atlas&shows=memories');
    await page.getByPlaceholder('Find by name, type or text').fill('nightly');
    await page.getByRole('option', { name: /nightly backup/ }).click();
    await section('Validity').waitFor();
    expect(page.url()).toContain('mfocus=backup');
  });
});

it('nothing is logged to the console, and no hostile code ran', async () => {
  expect(errors, errors.join('\n')).toEqual([]);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});

/** The state that undo restores: all but the vector, which is computed again, and the log, which lists the deletion. */
function shapeOf({
  memory: { updated_at: _, ...state },
  history,
  links,
  entities,
  sessions,
}: Output<'explore_memory'>): unknown {
  return { state, history, links, entities, sessions };
}
