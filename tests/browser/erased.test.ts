/** On a running server: who wrote a memory, in the table and the inspector, and what its deletion overwrites. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { testAddress, up } from './support/memory.ts';
import { temporaryFolder } from './support/places.ts';

const CONTENT = 'The quelxomandril berths at pier nine';
/** A word that no other text contains. */
const WORD = Buffer.from('quelxomandril');

const folder = temporaryFolder();
let browser: BrowserContext;
let server: LimbicServer;
let page: Page;
let errors: string[];

const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
const goTo = (hash: string): Promise<void> => page.evaluate((to) => void (location.hash = to), hash);

/** The files of the database that contain the word. */
const filesWithWord = (): string[] =>
  readdirSync(folder).filter((name) => /^memory\.db(-journal)?$/.test(name) && bytesOf(name).includes(WORD));

function bytesOf(name: string): Buffer {
  return readFileSync(join(folder, name));
}

beforeAll(async () => {
  browser = await launch();
  server = await LimbicServer.start(join(folder, 'memory.db'), { options: ['--test-encoder', '--toolsets', 'all'] });
  const agent = await server.connect('harbour-agent');
  const stored = await agent.callTool({ name: 'memory_store', arguments: { id: 'berth', content: CONTENT } });
  expect(stored.isError, JSON.stringify(stored.content)).not.toBe(true);
  await agent.close();
  page = await browser.newPage();
  errors = complaints(page);
  await page.setViewportSize({ width: 2600, height: 900 });
  await page.goto(testAddress(server.address));
  await up(page);
});
afterAll(async () => {
  await browser.close();
  await server.kill();
});

it('shows who wrote a memory in the table', async () => {
  await goTo('#/table?kind=memories');
  await page.getByRole('columnheader', { name: 'Origin' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: CONTENT });
  await row.getByRole('gridcell').filter({ hasText: 'harbour-agent' }).waitFor();
});

it('shows who wrote a memory in the inspector', async () => {
  await goTo('#/table?kind=memories&sel=memory:berth');
  const origin = inspector()
    .locator('dt', { hasText: /^Origin$/ })
    .locator('xpath=following-sibling::dd[1]');
  await origin.waitFor();
  expect(await origin.textContent()).toContain('harbour-agent');
});

it('names what the deletion of a memory overwrote, and its bytes are gone', async () => {
  expect(filesWithWord()).toContain('memory.db');
  await inspector().getByRole('button', { name: 'Delete memory' }).click();
  await page.getByRole('alertdialog', { name: 'Delete 1 memory?' }).getByRole('button', { name: 'Delete' }).click();
  await page
    .getByText(/Overwritten in the database file: rows, words of the search index, vectors and journal/)
    .waitFor();
  await page.getByText(/Exports, backups and snapshots of the disk keep their copies/).waitFor();
  await expect.poll(filesWithWord).toEqual([]);
});

it('causes no errors', () => {
  expect(errors).toEqual([]);
});
