/** Memories in search, table, timeline, maintenance and stats. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LinkRow } from '../../web/src/source/explorer-tools.ts';
import { SERIES } from '../../web/src/views/timeline/series.ts';
import { violations } from './support/axe.ts';
import { boxOf } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { expectNoLayoutShift, observeLayoutShifts } from './support/layout-shifts.ts';
import { fillMemories, memoryOf } from './support/memories.ts';
import { ask, closeNotices } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';

const REST_MILLIS = 700;
const EXPIRY_MILLIS = 3000;
const PLACES = {
  search: '#/search?of=memories&q=deploys+siren&past=1',
  standing: '#/search?of=memories',
  memories: '#/table?kind=memories',
  links: '#/table?kind=links',
  timeline: '#/timeline',
  contradictions: '#/maintenance?part=contradictions',
  maintenance: '#/maintenance?part=plan',
  stats: '#/stats',
} as const;

/** The names of the series in the list of events. */
const WORDS = {
  memories: 'Stored',
  memories_changed: 'Changed',
  memories_ended: 'Ended',
  memories_linked: 'Linked',
  memories_used: 'Recalled',
  memories_forgotten: 'Deleted',
};

const shots = screenshotFolder('memory-lists');
const built = builtPage();
let page: Page;
let errors: string[];

beforeAll(async () => {
  ({ page, errors } = await built.watchedTab('?database=memory-lists.db', observeLayoutShifts));
  await fillMemories(page);
});

async function goTo(hash: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), hash);
  await page.waitForTimeout(REST_MILLIS);
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
}

const hash = (): Promise<string> => page.evaluate(() => location.hash);
const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
const mark = (text: string): Promise<void> => row(text).locator('[data-mark]').click();
const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const statusOf = async (id: string): Promise<string | undefined> => (await memoryOf(page, id))?.status;
const results = (): Locator => page.getByRole('region', { name: 'Results' }).getByRole('listitem');

async function undo(): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).first().click();
}

async function linksOf(type: string): Promise<LinkRow[]> {
  return (await ask(page, 'explore_records', { kind: 'links', filter: { type } })).rows as LinkRow[];
}

describe('the search of memories', () => {
  it('keeps the question when switched, and explains scores', async () => {
    await goTo('#/search?q=siren+internet');
    await page.getByRole('radio', { name: 'Memories' }).click();
    await expect.poll(hash).toContain('of=memories');
    expect(await hash()).toContain('q=siren');
    const first = results().filter({ hasText: 'The siren of Atlas' }).first();
    await first.getByRole('img', { name: /Relevance \d/ }).waitFor();
    expect(await first.innerText()).toMatch(/confidence[\s\S]*importance[\s\S]*recency[\s\S]*support[\s\S]*words/);
    await expect.poll(() => first.locator('mark').allInnerTexts()).toContain('internet');
    await first.getByRole('link').click();
    await expect.poll(hash).toContain('sel=memory%3Asiren');
  });

  it('records no accesses', async () => {
    expect((await memoryOf(page, 'siren'))?.access_count).toBe(0);
  });

  it('finds ended and contradicted memories only on request, with their status', async () => {
    await goTo('#/search?of=memories&q=deploys');
    await results().filter({ hasText: 'Tuesdays' }).waitFor();
    expect(await results().filter({ hasText: 'Fridays' }).count()).toBe(0);
    await page.getByText('Include ended').click();
    await results().filter({ hasText: 'Fridays' }).getByText('contradicted').waitFor();
    await goTo('#/search?of=memories&q=office+Dublin&past=1');
    await results().filter({ hasText: 'Dublin' }).getByText('ended', { exact: true }).waitFor();
  });

  it('says that no memory answers the question', async () => {
    await goTo('#/search?of=memories&q=zyzzyva');
    await page.getByText('No memory answers this question').waitFor();
  });

  it('filters by day, category and domain', async () => {
    await goTo('#/search?of=memories&q=deploys');
    await page.getByLabel('As of').fill('2020-01-01');
    await page.getByText('No memory answers this question').waitFor();
    await goTo('#/search?of=memories&category=decision');
    await expect.poll(() => results().filter({ hasText: 'SQLite' }).count()).toBe(1);
    expect(await results().filter({ hasText: 'siren' }).count()).toBe(0);
    await goTo('#/search?of=memories&domain=atlas');
    await expect.poll(() => page.getByRole('region', { name: 'Results' }).locator('ol > li').count()).toBe(1);
    await results().filter({ hasText: 'another domain' }).first().waitFor();
  });
});

describe('the table of memories', () => {
  it('sorts by any column and filters', async () => {
    await goTo(PLACES.memories);
    await page.getByRole('columnheader', { name: 'Importance' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Importance' }).getByRole('button').click();
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('The siren of Atlas');
    await page.getByRole('button', { name: 'any Category' }).click();
    await page.getByRole('option', { name: /convention/ }).click();
    await expect.poll(hash).toContain('is.category=convention');
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await goTo('#/table?kind=memories&status=contradicted');
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await goTo('#/table?kind=memories&domain=atlas');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await goTo('#/table?kind=memories&is.pinned=1');
    await row('Ines prefers').waitFor();
  });

  it('keeps the text column visible while scrolling', async () => {
    await goTo(PLACES.memories);
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ left: grid.scrollWidth }));
    const [grid, text] = await Promise.all([
      boxOf(page.getByRole('grid')),
      boxOf(row('Deploys go out on Tuesdays').getByRole('gridcell').nth(1)),
    ]);
    expect(text.x).toBeCloseTo(grid.x + 36, 0);
    await page.screenshot({ path: join(shots, 'scrolled.png') });
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ left: 0 }));
  });

  it('opens a memory by a click on its row', async () => {
    await goTo(PLACES.memories);
    await row('Deploys go out on Tuesdays').getByText('convention').click();
    await expect.poll(hash).toContain('sel=memory%3Atuesday');
  });

  it('pins, moves and changes tiers, with undo', async () => {
    await goTo(`${PLACES.memories}&q=deploys`);
    await mark('Tuesdays');
    await mark('Fridays');
    await press('Pin');
    await page.getByText('Pinned 2 memories').waitFor();
    expect([(await memoryOf(page, 'tuesday'))?.pinned, (await memoryOf(page, 'friday'))?.pinned]).toEqual([true, true]);
    await undo();
    await expect.poll(async () => (await memoryOf(page, 'friday'))?.pinned).toBe(false);

    // The selection bar is closed: the focus returns to the table.
    await page.getByText('Pinned 2 memories').waitFor({ state: 'hidden' });
    await page.getByRole('grid').press('Space');
    await page.getByRole('button', { name: 'Pin', exact: true }).press('Enter');
    await page.getByText('Pinned 1 memory').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
    await undo();
    await closeNotices(page);

    await goTo(`${PLACES.memories}&q=preFERS`);
    await mark('Ines prefers');
    await press('Move…');
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Target domain').selectOption('atlas');
    await question.getByRole('button', { name: 'Move' }).click();
    await expect.poll(async () => (await memoryOf(page, 'commits'))?.domain).toBe('atlas');
    await undo();
    await expect.poll(async () => (await memoryOf(page, 'commits'))?.domain).toBe('general');

    await mark('Ines prefers');
    await press('Tier…');
    await question.getByLabel('Tier').selectOption('l1');
    await question.getByRole('button', { name: 'Change' }).click();
    await expect.poll(async () => (await memoryOf(page, 'commits'))?.tier).toBe('l1');
    await undo();
    await expect.poll(async () => (await memoryOf(page, 'commits'))?.tier).toBe('l0');
    await closeNotices(page);
  });

  it('invalidates with a reason, with undo', async () => {
    await goTo(`${PLACES.memories}&q=siren+of`);
    await mark('The siren of Atlas');
    await press('Invalidate…');
    const question = page.getByRole('alertdialog');
    await question.getByLabel(/Reason/).fill('It was <b>replaced</b>');
    await question.getByRole('button', { name: 'Invalidate' }).click();
    await expect.poll(() => statusOf('siren')).toBe('ended');
    expect((await ask(page, 'explore_memory', { id: 'siren' })).memory.invalidation_reason).toBe(
      'It was <b>replaced</b>',
    );
    await undo();
    await expect.poll(() => statusOf('siren')).toBe('current');
    await closeNotices(page);
  });

  it('deletes after a confirmation, with undo', async () => {
    await goTo(`${PLACES.memories}&q=siren+of`);
    const before = await memoryOf(page, 'siren');
    await mark('The siren of Atlas');
    await press('Delete…');
    await page.getByRole('alertdialog', { name: 'Delete 1 memory?' }).getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf('siren')).toBe('current');
    await press('Delete…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => memoryOf(page, 'siren')).toBeUndefined();
    await undo();
    await expect.poll(async () => (await memoryOf(page, 'siren'))?.links).toBe(before?.links);
    expect(await memoryOf(page, 'siren')).toMatchObject({
      content: before?.content,
      created_at: before?.created_at,
      entities: before?.entities,
    });
    await closeNotices(page);
  });

  it('removes links and references, with undo', async () => {
    await goTo(PLACES.links);
    const all = (await ask(page, 'explore_records', { kind: 'links' })).total;
    await expect.poll(() => page.getByRole('row').count()).toBe(all + 1);
    await page.getByRole('button', { name: 'any Kind' }).click();
    await page.getByRole('option', { name: 'other domain' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await goTo(PLACES.links);
    await mark('refines');
    await mark('(reference)');
    await press('Remove');
    await page.getByText('Removed 2 links').waitFor();
    expect((await ask(page, 'explore_records', { kind: 'links' })).total).toBe(all - 2);
    await undo();
    await expect.poll(async () => (await ask(page, 'explore_records', { kind: 'links' })).total).toBe(all);
    expect((await linksOf('refines'))[0]?.strength).toBe(0.6);
    await closeNotices(page);
  });
});

describe('the timeline of memories', () => {
  it('has series and events that link to the memory', async () => {
    await goTo(PLACES.timeline);
    const legend = page.getByRole('toolbar', { name: 'Memory event types' });
    const { totals } = await ask(page, 'explore_timeline', {});
    expect(totals.memories).toBeGreaterThan(0);
    await expect
      .poll(() => legend.getByRole('button', { name: /^Memories/ }).innerText())
      .toContain(String(totals.memories));
    const list = page.getByRole('listbox', { name: 'Events' });
    for (const [shown, word] of Object.entries(WORDS)) {
      await goTo(
        `${PLACES.timeline}?hide=${SERIES.map(({ id }) => id)
          .filter((id) => id !== shown)
          .join(',')}`,
      );
      await list.getByText(word, { exact: true }).first().waitFor();
      expect(new Set(await list.locator('[class*="_kind_"]').allInnerTexts())).toEqual(new Set([word]));
    }
    await list.getByText('It was a try').waitFor();
    await goTo(`${PLACES.timeline}?hide=memories,memories_linked`);
    await list.getByRole('option', { name: /We keep SQLite: one file, no server/ }).click();
    await expect.poll(hash).toContain('sel=memory%3Asqlite');
  });

  it('hides a series when its legend entry is pressed', async () => {
    await goTo(PLACES.timeline);
    await page.getByRole('button', { name: /^Memories/ }).click();
    await expect.poll(hash).toContain('hide=memories');
    await expect
      .poll(() => page.getByRole('listbox', { name: 'Events' }).getByText('Stored', { exact: true }).count())
      .toBe(0);
  });
});

describe('contradictions', () => {
  it('keep one memory and invalidate the other with a reason', async () => {
    await goTo(PLACES.contradictions);
    const card = page.getByRole('region', { name: /Contradiction: Deploys/ });
    await card.getByText('Hidden from recall').waitFor();
    expect((await card.locator('mark').allInnerTexts()).sort()).toEqual(['Fridays', 'Tuesdays']);
    await card.getByRole('button', { name: 'Keep this one…' }).first().click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Invalidate' }).click();
    await expect.poll(() => statusOf('friday')).toBe('ended');
    expect(await memoryOf(page, 'friday')).toMatchObject({ superseded_by: 'tuesday' });
    await card.waitFor({ state: 'hidden' });
    expect(await statusOf('tuesday')).toBe('current');
    await closeNotices(page);
  });

  it('can be dismissed by keeping both', async () => {
    const card = page.getByRole('region', { name: /Contradiction: We keep/ });
    await card.getByRole('button', { name: 'Keep both' }).click();
    await expect.poll(() => statusOf('postgres')).toBe('current');
    await page.getByText('No contradictions').waitFor();
    await undo();
    await card.waitFor();
    expect((await linksOf('contradicts')).find(({ from_id: from }) => from === 'sqlite')?.strength).toBe(0.5);
    // Also by keyboard; the focus stays at the position of the pair.
    await card.getByRole('button', { name: 'Keep both' }).focus();
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    await undo();
    await card.waitFor();
    await closeNotices(page);
  });
});

describe('maintenance', () => {
  it('applies exactly the reviewed plan and reports skipped memories', async () => {
    const soon = new Date(Date.now() + EXPIRY_MILLIS).toISOString();
    await ask(page, 'memory_store', {
      memories: ['brief', 'kept', 'lost'].map((id) => ({ id, content: `The ${id} note of today`, expires_at: soon })),
    });
    for (let count = 0; count < 3; count += 1)
      await ask(page, 'memory_recall', { query: 'commit messages', domain: '*' });
    await page.waitForTimeout(EXPIRY_MILLIS);
    await goTo('#/maintenance?part=plan&actions=expire,tiers');
    const expired = page.getByRole('region', { name: /Expired/ });
    await expired.getByText('The brief note of today').waitFor();
    await expired.getByText('The kept note of today').waitFor();
    await page.screenshot({ path: join(shots, 'plan.png') });
    // Memories that change after the review are skipped.
    await ask(page, 'memory_update', { id: 'kept', expires_at: '' });
    await ask(page, 'memory_forget', { id: 'lost' });
    await press('Apply plan');
    await page
      .getByRole('alertdialog', { name: 'Delete 3 memories?' })
      .getByRole('button', { name: 'Apply plan' })
      .click();
    await page.getByText(/^Done: /).waitFor();
    await page.screenshot({ path: join(shots, 'plan-done.png') });
    expect(await memoryOf(page, 'brief')).toBeUndefined();
    expect(await statusOf('kept')).toBe('current');
    await page.getByRole('region', { name: 'Skipped' }).getByRole('link', { name: 'The kept note of today' }).waitFor();
    // Memories that another client deleted are listed separately, without a link.
    await page.getByRole('region', { name: 'Already deleted' }).getByText('The lost note of today').waitFor();
    expect(await page.getByRole('link', { name: 'The lost note of today' }).count()).toBe(0);
    // The button is removed; the focus is at its position.
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
  });

  it('plans only the selected tasks', async () => {
    await goTo('#/maintenance?part=plan&actions=expire');
    await page.getByText('No changes due').waitFor();
    await page.getByRole('checkbox', { name: 'Contradictions' }).click({ force: true });
    await expect.poll(hash).toContain('contradictions');
    await page
      .getByRole('region', { name: /^Contradictions/ })
      .getByText('We keep Postgres')
      .waitFor();
  });
});

it('memory statistics link to the table', async () => {
  await goTo(PLACES.stats);
  const { counts } = await ask(page, 'explore_stats', {});
  await expect
    .poll(() => page.locator('dl').first().innerText())
    .toContain(`Memories\n${counts.memories.toLocaleString('en')}`);
  await page.locator('section', { hasText: 'Memories by status' }).getByRole('link', { name: 'ended' }).click();
  await expect.poll(hash).toMatch(/#\/table\?kind=memories&status=ended/);
});

describe.each(Object.entries(PLACES))('%s', (name, place) => {
  it.each(['light', 'dark'] as const)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await goTo(place);
    await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`) });
    const found = await violations(page);
    expect(found, found.join('\n')).toEqual([]);
  });

  it('has no layout shifts while loading', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await goTo(place);
      await page.reload();
      await page.waitForTimeout(REST_MILLIS * 3);
      await expectNoLayoutShift(page, `at ${width}`);
    }
  });

  it('fits narrow and wide windows, and escapes hostile texts', async () => {
    for (const [width, height] of [
      [320, 640],
      [360, 740],
      [2560, 1200],
    ] as const) {
      await page.setViewportSize({ width, height });
      await goTo('#/tools');
      await goTo(place);
      await page.screenshot({ path: join(shots, `${name}-${width}.png`) });
      const chosen = page.locator('main [role="tab"][aria-selected="true"]');
      await expect.poll(() => chosen.count()).toBe(/^#\/(table|maintenance)/.test(place) ? 1 : 0);
      for (const tab of await chosen.all()) {
        const { x, width: length } = (await tab.boundingBox()) ?? { x: -1, width: 0 };
        expect([x >= 0, x + length < width + 1], 'the chosen tab is in sight').toEqual([true, true]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('img[src="x"], script:not([src]), iframe, main style').count()).toBe(0);
  });
});

it('a dialog is visible and has no accessibility violations', async () => {
  await goTo(PLACES.memories);
  await mark('The siren of Atlas');
  await press('Invalidate…');
  await page
    .getByRole('alertdialog')
    .getByLabel(/Reason/)
    .waitFor();
  await page.screenshot({ path: join(shots, 'question.png') });
  const found = await violations(page);
  expect(found, found.join('\n')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
  expect(await statusOf('siren')).toBe('current');
});

it('nothing is logged to the console', () => {
  expect(errors, errors.join('\n')).toEqual([]);
});
