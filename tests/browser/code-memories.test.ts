/** Memories that are linked to code, in the explorer of a server that indexes it. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ask, testAddress, up } from './support/memory.ts';
import { ROOT, screenshotFolder, temporaryFolder } from './support/places.ts';

const shots = screenshotFolder('code-memories');
const places = temporaryFolder();
const ORDERS = join(places, 'shop/server/orders.py');
const SYMBOL = 'shop:server/orders.py#check_amount';

let browser: BrowserContext;
let server: LimbicServer;
let page: Page;
let errors: string[];

const goTo = (hash: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), hash);
const card = (text: string) => page.getByRole('article', { name: text });

beforeAll(async () => {
  browser = await launch();
  cpSync(join(ROOT, 'tests/files/shop'), join(places, 'shop'), { recursive: true });
  const options = ['--test-encoder', '--toolsets', 'memory,code', '--code-root', places];
  server = await LimbicServer.start(join(temporaryFolder(), 'memory.db'), { options });
  page = await browser.newPage();
  errors = complaints(page);
  await page.goto(testAddress(server.address));
  await up(page);
  await ask(page, 'index_project', { path: 'shop', wait: true });
  await ask(page, 'memory_store', { id: 'cents', content: '`check_amount` counts in cents' });
  await ask(page, 'memory_store', { id: 'given', content: 'Amounts are positive', symbols: [SYMBOL] });
});
afterAll(async () => {
  await server.kill();
  await browser.close();
});

it('the inspectors of a symbol and of a memory name each other', async () => {
  await goTo(`#/code?project=shop&path=server%2Forders.py&sel=symbol:${encodeURIComponent(SYMBOL)}`);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('link', { name: 'Amounts are positive' }).waitFor();
  await page
    .getByRole('option', { name: /check_amount.*counts in cents/ })
    .first()
    .waitFor();
  await page.screenshot({ path: join(shots, 'source.png') });
  await inspector.getByRole('link', { name: 'Amounts are positive' }).click();
  await inspector.getByText('Unchanged').waitFor();
  await inspector.getByRole('link', { name: SYMBOL }).click();
  await inspector.getByRole('heading', { name: 'check_amount' }).waitFor();
});

it('memories whose code changed are listed, and confirmed or invalidated', async () => {
  await goTo('#/maintenance?part=code');
  await page.getByText('All linked code is unchanged').waitFor();
  const code = readFileSync(ORDERS, 'utf8');
  expect(code).toContain('def check_amount(');
  writeFileSync(
    ORDERS,
    code.replace(/def check_amount\(.*\n/u, (line) => `${line}    print("checking")\n`),
  );
  await goTo('#/stats');
  await goTo('#/maintenance?part=code');
  for (const text of ['Amounts are positive', '`check_amount` counts in cents'])
    await card(text).getByText('Changed', { exact: true }).waitFor();
  await page.screenshot({ path: join(shots, 'changed.png') });
  expect(await violations(page)).toEqual([]);

  await card('Amounts are positive').getByRole('button', { name: 'Still true' }).click();
  await page.getByText('Linked to the present code').waitFor();
  await expect.poll(() => card('Amounts are positive').count()).toBe(0);
  await card('`check_amount` counts in cents').getByRole('button', { name: 'Invalidate' }).click();
  await page.getByText('Invalidated 1 memory').waitFor();
  const { memory, symbols } = await ask(page, 'explore_memory', { id: 'given' });
  expect(memory.status).toBe('current');
  expect(symbols).toEqual([{ symbol_id: SYMBOL, state: 'holds' }]);
});

it('undo of a deleted memory restores its links to code', async () => {
  await goTo('#/table?of=memories&sel=memory:given');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('button', { name: 'Delete memory' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect
    .poll(async () => (await ask(page, 'memory_get', { ids: ['given'] })).memories[0]?.symbols)
    .toEqual([{ symbol_id: SYMBOL, state: 'holds' }]);
  expect(errors, errors.join('\n')).toEqual([]);
});
