/** The demo page: its sample memory, its questions, its tour. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import questions from '../../web/sample/questions.json' with { type: 'json' };
import { STEPS } from '../../web/src/tour/steps.ts';
import type { SourceStatus } from '../../web/src/source/source.ts';
import type { WritableStore } from '../../web/src/source/store.ts';
import { builtPage } from './support/built-page.ts';
import { ask, names } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';

const REST_MILLIS = 1500;
const ENTITIES = 306;

const shots = screenshotFolder('tour');
const built = builtPage();
let page: Page;
let errors: string[];
let deliverSample: () => void;

beforeAll(async () => {
  const delivery = new Promise<void>((resolve) => {
    deliverSample = resolve;
  });
  ({ page, errors } = await built.watchedTab('?demo', async (tab) => {
    await tab.route('**/sample*.bin', async (route) => {
      await delivery;
      await route.continue();
    });
  }));
});

it('the demo does not offer the sample memory while it loads it', async () => {
  try {
    await page.getByRole('heading', { name: 'Loading the sample memory…' }).waitFor();
    expect(await page.getByRole('button', { name: 'Load sample memory' }).count()).toBe(0);
  } finally {
    deliverSample();
  }
});

it('the demo loads the sample memory once', async () => {
  await expect.poll(async () => (await names(page)).length, { timeout: 30_000 }).toBe(ENTITIES);
  await page.getByRole('button', { name: 'Take the tour' }).waitFor();
});

it('the tour works by keyboard, and each step shows its subject', async () => {
  await page.getByRole('button', { name: 'Take the tour' }).focus();
  await page.keyboard.press('Enter');
  const tour = page.getByRole('complementary', { name: 'Guided tour' });
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const main = page.locator('main');
  for (const [index, step] of STEPS.entries()) {
    const heading = tour.getByRole('heading', { name: step.title });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.waitForTimeout(REST_MILLIS);
    await page.screenshot({ path: join(shots, `${index + 1}.png`) });
    expect(await main.getByRole('alert').count()).toBe(0);
    const [first = ''] = step.entities ?? [];
    if (step.view === 'inspector') await inspector.getByRole('heading', { name: first, exact: true }).waitFor();
    if (step.show === 'history') await inspector.getByText('A tag reads and sends every five minutes.').waitFor();
    if (step.show === 'reflections')
      expect(
        await isInSight(inspector.getByRole('region', { name: 'Reflections' }).getByRole('listitem').first()),
      ).toBe(true);
    if (step.view === 'graph') await main.getByText(/^\d+ (entities|memories), \d+ links/).waitFor();
    if (step.view === 'maintenance' && first !== '')
      await main.getByRole('heading', { name: first, exact: true }).waitFor();
    if (step.part === 'plan')
      await main
        .getByText(/The letter on new prices/)
        .first()
        .waitFor();
    if (step.view === 'tools')
      await main
        .getByText(step.tool ?? '', { exact: true })
        .first()
        .waitFor();
    if (step.view === 'timeline') expect(await main.getByLabel('From').inputValue()).toBe(step.from);
    if (step.view === 'search') await main.getByRole('listitem').first().waitFor();
    // Order of focus from the heading: leave, back, next; back is disabled at the first step.
    const next = tour.getByRole('button', { name: index === STEPS.length - 1 ? 'Done' : 'Next' });
    for (let presses = 0; !(await next.evaluate((element) => element === document.activeElement)); presses += 1) {
      expect(presses).toBeLessThan(4);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  }
  await tour.waitFor({ state: 'hidden' });
});

it('nothing covers the buttons of the tour, in any window size and with any number of toasts', async () => {
  const sizes = [
    { width: 360, height: 640 },
    { width: 800, height: 600 },
    { width: 1280, height: 800 },
  ];
  await page.getByRole('button', { name: 'Memory: import, export, sample, tour' }).click();
  await page.getByRole('menuitem', { name: 'Guided tour' }).click();
  const tour = page.getByRole('complementary', { name: 'Guided tour' });
  // Notices that remain until they are closed, more than are shown at a time.
  await page.evaluate(() => {
    const status = window.limbic.status as WritableStore<SourceStatus>;
    for (let count = 1; count <= 4; count += 1) {
      setTimeout(
        () =>
          status.update((before) => ({
            ...before,
            interruption: {
              text: `A notice that stays: number ${count}`,
              detail:
                'It says in two or three lines what has happened, and what a person can do about it at once or later.',
            },
          })),
        count * 50,
      );
    }
  });
  await page.getByText('A notice that stays: number 4').first().waitFor();
  const covered: string[] = [];
  for (const [index, step] of STEPS.entries()) {
    await tour.getByRole('heading', { name: step.title }).waitFor();
    const next = tour.getByRole('button', { name: index === STEPS.length - 1 ? 'Done' : 'Next' });
    for (const size of sizes) {
      await page.setViewportSize(size);
      await page.waitForTimeout(150);
      for (const button of [next, tour.getByRole('button', { name: 'Close the tour' })]) {
        const over = await button.evaluate(whatCovers);
        if (over !== '') covered.push(`step ${index + 1}, ${size.width} × ${size.height}: ${over}`);
      }
      if (index === 0) await page.screenshot({ path: join(shots, `notices-${size.width}.png`) });
    }
    await next.focus();
    await page.keyboard.press('Enter');
  }
  expect(covered, covered.join('\n')).toEqual([]);
  const close = page.getByRole('region', { name: /Notifications/ }).getByRole('button', { name: 'Close' });
  for (let left = await close.count(); left > 0; left -= 1) {
    await close.first().click();
    await expect.poll(() => close.count()).toBe(left - 1);
  }
});

it('offers sample questions and asks them', async () => {
  await page.evaluate(() => void (location.hash = '#/search'));
  const list = page.getByRole('list', { name: 'Sample questions:' });
  await expect.poll(() => list.getByRole('link').allInnerTexts()).toEqual(questions.map(({ question }) => question));
  const { question, finds } = questions.find(({ finds }) => finds === 'Local alarms') ?? { question: '', finds: '' };
  await list.getByRole('link', { name: question }).click();
  await page.getByRole('region', { name: 'Results' }).getByText(finds, { exact: true }).first().waitFor();
});

it('most sample questions are answered by keyword search, before the model is loaded', async () => {
  const places: number[] = [];
  for (const { question, finds, kind } of questions) {
    const found =
      kind === 'memory'
        ? (await ask(page, 'memory_recall', { query: question, domain: '*', limit: 20, touch: false })).memories.map(
            (memory) => (memory as { id: string }).id,
          )
        : (await ask(page, 'search_semantic', { query: question, limit: 20 })).results.map(({ name }) => name);
    places.push(found.indexOf(finds) + 1);
  }
  console.log(
    `questions of the sample, by words alone: ${places.map((place) => (place === 0 ? 'none' : place)).join(', ')}`,
  );
  expect(places.filter((place) => place > 0).length).toBeGreaterThanOrEqual(questions.length / 2);
});

it('nothing is logged to the console', () => {
  expect(errors, errors.join('\n')).toEqual([]);
});

/** The elements that cover another one at its middle or near its corners, or that it is outside the window. */
function whatCovers(element: Element): string {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return 'it is outside the window';
  const places = [
    [(left + right) / 2, (top + bottom) / 2],
    [left + 4, top + 4],
    [right - 4, top + 4],
    [left + 4, bottom - 4],
    [right - 4, bottom - 4],
  ] as const;
  const hits = places.map(([x, y]) => document.elementFromPoint(x, y));
  const over = hits.find((hit) => hit !== null && !element.contains(hit));
  return over === undefined || over === null ? '' : over.outerHTML.slice(0, 120);
}

function isInSight(locator: ReturnType<Page['locator']>): Promise<boolean> {
  return locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
}
