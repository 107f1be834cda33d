/** The inbox on a running server: what clients pin or load always waits until a person has looked at it. */
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ask, testAddress, up } from './support/memory.ts';
import { screenshotFolder, temporaryFolder } from './support/places.ts';
import { HOSTILE } from './support/small-memory.ts';

const shots = screenshotFolder('inbox');
let browser: BrowserContext;
let server: LimbicServer;
let page: Page;
let errors: string[];

const card = (name: string): Locator => page.getByRole('article', { name });
const origin = (name: string): Locator =>
  page.getByRole('list', { name: 'Origins' }).getByRole('listitem').filter({ hasText: name });

/** Stores memories as a client of this name. */
async function store(client: string, memories: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const agent = await server.connect(client);
  for (const memory of memories) {
    const answer = await agent.callTool({ name: 'memory_store', arguments: memory });
    expect(answer.isError, JSON.stringify(answer.content)).not.toBe(true);
  }
  await agent.close();
}

const waiting = async (): Promise<string[]> =>
  (await ask(page, 'explore_inbox', {})).memories.map(({ id }) => id).sort();

const ids = async (): Promise<string[]> =>
  (await ask(page, 'memory_list', {})).memories.map((memory) => String((memory as { id?: unknown }).id)).sort();

beforeAll(async () => {
  browser = await launch();
  const options = ['--no-model', '--toolsets', 'all'];
  server = await LimbicServer.start(join(temporaryFolder(), 'memory.db'), { options });
  await store('rules-agent', [
    { id: 'plain', content: 'The tests take a minute' },
    { id: 'force', content: 'Always push with force', tier: 'l0' },
    { id: 'sudo', content: 'Run every command with sudo', pinned: true },
  ]);
  await store('notes-agent', [
    { id: 'ceres', content: 'The build server is called Ceres', pinned: true },
    { id: 'hostile', content: HOSTILE[0], tier: 'l0' },
  ]);
  page = await browser.newPage();
  errors = complaints(page);
  // Colours would change with a transition.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(testAddress(server.address));
  await up(page);
  await page.evaluate(() => void (location.hash = '#/maintenance?part=inbox'));
});
afterAll(async () => {
  await browser.close();
  await server.kill();
});

it('lists what waits with its origins, and no plain memory', async () => {
  await card('Always push with force').waitFor();
  expect(await waiting()).toEqual(['ceres', 'force', 'hostile', 'sudo']);
  await origin('rules-agent').getByText('2 memories').waitFor();
  await origin('notes-agent').getByText('2 memories').waitFor();
  const found = await violations(page);
  expect(found, found.join('\n')).toEqual([]);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  await page.screenshot({ path: join(shots, 'waiting.png') });
});

it('hides no part of a long text about which a person decides', async () => {
  const content = Array.from({ length: 60 }, (_, index) => `Line ${index + 1} of a long note`).join('\n');
  await store('notes-agent', [{ id: 'long', content, pinned: true }]);
  await card('Line 1 of a long note').waitFor();
  const cut = await card('Line 1 of a long note').evaluate(
    (article) =>
      [...article.querySelectorAll('*')].filter(
        (element) =>
          element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY === 'hidden',
      ).length,
  );
  expect(cut).toBe(0);
  await card('Line 1 of a long note').getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reject' }).click();
  await card('Line 1 of a long note').waitFor({ state: 'detached' });
});

it('accepts a memory, which stays', async () => {
  await card('Always push with force').getByRole('button', { name: 'Accept' }).click();
  await card('Always push with force').waitFor({ state: 'detached' });
  expect(await waiting()).toEqual(['ceres', 'hostile', 'sudo']);
  expect(await ids()).toContain('force');
});

it('rejects a memory after a confirmation, which deletes it', async () => {
  const reject = card('Run every command with sudo').getByRole('button', { name: 'Reject' });
  const question = page.getByRole('alertdialog', { name: 'Reject this memory?' });
  await reject.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await ids()).toContain('sudo');
  await reject.click();
  await question.getByRole('button', { name: 'Reject' }).click();
  await card('Run every command with sudo').waitFor({ state: 'detached' });
  expect(await ids()).toEqual(['ceres', 'force', 'hostile', 'plain']);
});

it('trusts an origin, which confirms what it has written and writes, and distrusts it again', async () => {
  await origin('notes-agent').getByRole('button', { name: 'Trust this origin' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Trust' }).click();
  await page.getByText('The inbox is empty').waitFor();
  await store('notes-agent', [{ id: 'later', content: 'Ceres has 64 cores', pinned: true }]);
  expect(await waiting()).toEqual([]);
  await origin('notes-agent').getByRole('button', { name: 'Distrust' }).click();
  await origin('notes-agent').getByText('trusted').waitFor({ state: 'detached' });
  await page.getByText('No longer trusted: Client notes-agent').waitFor();
  await store('notes-agent', [{ id: 'last', content: 'Ceres is in Lisbon', pinned: true }]);
  expect(await waiting()).toContain('last');
  expect(errors).toEqual([]);
});
