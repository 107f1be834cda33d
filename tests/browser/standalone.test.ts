/** The page that `limbic-memory export --html` writes, opened from disk as by a double click. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ask, call, names, testAddress, up } from './support/memory.ts';
import { OUT, server, temporaryFolder } from './support/places.ts';
import { HOSTILE } from './support/small-memory.ts';

const NAMES = HOSTILE.map((text) => text.replaceAll('\u0000', '').trim());

/** Queries of words of each kind of record, in several orders, and one that matches nothing. */
const QUESTIONS = ['atlas', 'first release', 'backups of Atlas', 'tea', 'works SQLite data', 'zeppelin'];

let browser: BrowserContext;
let address: string;
let db: string;
let page: Page;
/** All requests of the page. */
const asked: string[] = [];
let wrong: string[];

beforeAll(async () => {
  const folder = temporaryFolder();
  db = join(folder, 'memory.db');
  const file = join(folder, 'a memory #1.html');
  await fill(db);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(server(), 'main.js'), 'export', '--db', db, '--html', file],
    { encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  address = pathToFileURL(file).href;
  browser = await launch();
  page = await browser.newPage();
  page.on('request', (request) => asked.push(request.url()));
  wrong = complaints(page);
});
afterAll(() => browser.close());

/** Stores typical records, and every hostile text, which would have an effect if it were not shown as text. */
async function fill(db: string): Promise<void> {
  const running = await LimbicServer.start(db);
  const client = await running.connect('agent');
  const store = (name: string, args: Record<string, unknown>): Promise<unknown> =>
    client.callTool({ name, arguments: args });
  await store('create_entities', {
    entities: [
      {
        name: 'Atlas',
        entityType: 'Project',
        observations: ['Atlas stores its data in SQLite', 'The first release was in March'],
      },
      { name: 'Ines', entityType: 'Person', observations: ['Ines works on Atlas'] },
      ...NAMES.map((name) => ({ name, entityType: name.slice(0, 80), observations: [`${name} as an observation`] })),
    ],
  });
  const ends = [
    { from: 'Ines', to: 'Atlas', relationType: 'works_on' },
    ...NAMES.map((to) => ({ from: 'Atlas', to, relationType: to.slice(0, 80), context: to })),
  ];
  await store('create_relations', { relations: ends });
  for (const content of NAMES)
    await store('add_reflection', { target_type: 'global', content, author: content.slice(0, 40) });
  await store('create_domain', { id: 'code', name: 'Code' });
  await store('memory_store', {
    memories: [
      { content: 'Backups of Atlas are kept for thirty days', category: 'decision', domain: 'code' },
      { content: 'Ines likes tea', category: 'preference' },
    ],
  });
  await client.close();
  await running.kill();
}

async function show(hash: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(address + hash);
}

/** Counts saturated pixels: nodes have colours; the background, lines and letters are nearly grey. */
async function coloredPixels(png: Buffer): Promise<number> {
  const other = await browser.newPage();
  const count = await other.evaluate(
    async (url) => {
      const image = Object.assign(new Image(), { src: url });
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      if (context === null) return 0;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) {
        const color = data.slice(at, at + 3);
        if (Math.max(...color) - Math.min(...color) > 60) found += 1;
      }
      return found;
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await other.close();
  return count;
}

const picture = (name: string): Promise<unknown> => page.screenshot({ path: join(OUT, `single-${name}.png`) });

describe('a memory in one file', () => {
  it('is searched by words and opens results', async () => {
    await show('#/search');
    await page.getByPlaceholder('Words to look for').fill('sqlite');
    await page.keyboard.press('Enter');
    const found = page.getByRole('region', { name: 'Results' }).getByRole('link');
    await found.first().waitFor();
    expect(await found.allTextContents()).toEqual(['Atlas']);
    await found.click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('The first release was in March').waitFor();
    await picture('search');
    await inspector.getByRole('link', { name: 'Ines' }).click();
    await inspector.getByRole('heading', { name: 'Ines' }).waitFor();
  });

  it('is drawn, and the layout ends', async () => {
    await show('#/graph?shows=entities');
    const all = NAMES.length + 2;
    await page.getByText(`${all} entities, ${all - 1} links`).waitFor();
    await page.getByText('running layout…').waitFor({ state: 'hidden' });
    await picture('graph');
    expect(await coloredPixels(await page.locator('canvas').last().screenshot())).toBeGreaterThan(200);
  });

  it('is listed', async () => {
    await show('#/table?kind=relations');
    await page.getByText(`${NAMES.length + 1} relations`, { exact: true }).waitFor();
    await picture('table');
  });

  it('shows memories: found by words, in the inspector, with entities in the graph, of one domain', async () => {
    await show('#/search?of=memories&q=backups');
    const found = page.getByRole('region', { name: 'Results' }).getByRole('link', { name: /thirty days/ });
    await found.click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('link', { name: 'Atlas' }).waitFor();
    await picture('memory');
    await show('#/graph?most=500&shows=all');
    await page
      .getByText(/2 memories/)
      .first()
      .waitFor();
    await picture('graph-both');
    await show('#/table?kind=memories');
    await page.getByText('2 memories', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Domain:/ }).click();
    await page.getByRole('menuitemradio', { name: /Code/ }).click();
    await page.getByText('1 memory', { exact: true }).waitFor();
  });

  it('finds the same results by words as the server, in the same order', async () => {
    const running = await LimbicServer.start(db, {
      options: ['--read-only', '--no-model', '--toolsets', 'graph,memory'],
    });
    const client = await running.connect('reader');
    await page.goto('about:blank');
    await page.goto(testAddress(address));
    await up(page);
    for (const query of QUESTIONS) {
      for (const [tool, field, key] of [
        ['search_semantic', 'results', 'name'],
        ['memory_recall', 'memories', 'id'],
      ] as const) {
        const answered = await client.callTool({ name: tool, arguments: { query } });
        const ranksIn = (answer: unknown): unknown[] =>
          (answer as Record<string, Record<string, unknown>[]>)[field]?.map((row) => row[key]) ?? [];
        expect(answered.isError, JSON.stringify(answered)).not.toBe(true);
        expect(ranksIn(await ask(page, tool, { query })), `${tool} ${query}`).toEqual(
          ranksIn(answered.structuredContent),
        );
      }
    }
    expect((await ask(page, 'search_semantic', { query: 'atlas' })).results.length).toBeGreaterThan(1);
    await client.close();
    await running.kill();
  });

  it('rejects writes with an error', async () => {
    await page.goto('about:blank');
    await page.goto(testAddress(address));
    await up(page);
    expect(await call(page, 'create_entities', { entities: [{ name: 'Grace' }] })).toMatchObject({
      ok: false,
      error: { code: 'read_only' },
    });
    expect(await names(page)).not.toContain('Grace');
  });

  it('has a timeline of stored records', async () => {
    await show('#/timeline');
    await page.getByRole('main').getByText('Ines likes tea').first().waitFor();
    await picture('timeline');
  });

  it('is read-only', async () => {
    await show('#/search?sel=entity:Atlas');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('heading', { name: 'Atlas' }).waitFor();
    expect(await page.getByRole('button', { name: /Edit|Delete|Add|end it/ }).count()).toBe(0);
    expect(await inspector.getByRole('button').allTextContents()).toHaveLength(2);
    await page.getByText('Read-only copy in this file').waitFor();
  });

  it('escapes hostile texts', async () => {
    for (const name of NAMES) {
      await show(
        `#/graph?focus=${encodeURIComponent(encodeURIComponent(name))}&sel=${encodeURIComponent(`entity:${name}`)}`,
      );
      const heading = page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { level: 2 });
      await heading.waitFor();
      expect(await heading.textContent()).toBe(name);
    }
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it.each([
    'graph?most=50',
    'search?q=atlas&sel=entity:Atlas',
    'table',
    'graph?most=50&shows=all',
    'search?of=memories&q=backups',
    'table?kind=memories',
    'timeline',
  ])('has no accessibility violations at #/%s', async (hash) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await show(`#/${hash}`);
      await page.getByRole('main').locator('h1').first().waitFor({ state: 'attached' });
      await page.evaluate(axe.source);
      const found = await page.evaluate(
        async () => (await (window as unknown as { axe: typeof axe }).axe.run()).violations,
      );
      const told = found.flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join()}`),
      );
      expect(told, told.join('\n')).toEqual([]);
    }
  });

  it('makes no requests and logs nothing', async () => {
    const own = new URL(address).pathname;
    expect(asked.length).toBeGreaterThan(5);
    expect(
      asked.filter((url) => url !== 'about:blank' && !url.startsWith('data:') && new URL(url).pathname !== own),
    ).toEqual([]);
    expect(asked.filter((url) => url.startsWith('data:') && !url.startsWith('data:image/svg+xml'))).toEqual([]);
    expect(wrong).toEqual([]);
  });

  it('runs no other script', async () => {
    const other = await browser.newPage();
    await other.goto(address);
    const refused = await other.evaluate(async () => {
      const told = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective)),
      );
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.body.append(script);
      return told;
    });
    expect(refused).toContain('script-src');
    expect(await other.evaluate(() => 'hacked' in window)).toBe(false);
    await other.close();
  });
});
