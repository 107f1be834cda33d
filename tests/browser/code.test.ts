/** The code view on a running server that indexes a small test project. */
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { complaints, launch } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ask, testAddress, up } from './support/memory.ts';
import { ROOT, screenshotFolder, temporaryFolder } from './support/places.ts';

const shots = screenshotFolder('code');
const places = temporaryFolder();
let browser: BrowserContext;

beforeAll(async () => {
  browser = await launch();
  cpSync(join(ROOT, 'tests/files/shop'), join(places, 'shop'), { recursive: true });
  mkdirSync(join(places, 'other'));
  copyFileSync(join(ROOT, 'tests/files/code/money.py'), join(places, 'other/money.py'));
});
afterAll(() => browser.close());

function start(options: readonly string[]): Promise<LimbicServer> {
  return LimbicServer.start(join(temporaryFolder(), 'memory.db'), { options });
}

async function explorer(server: LimbicServer): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await browser.newPage();
  const errors = complaints(page);
  await page.goto(testAddress(server.address));
  await up(page);
  return { page, errors };
}

const goTo = (page: Page, hash: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), hash);

describe('the code view', () => {
  let server: LimbicServer;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    server = await start(['--test-encoder', '--toolsets', 'code', '--code-root', places]);
    ({ page, errors } = await explorer(server));
  });
  afterAll(() => server.kill());

  const tree = () => page.getByRole('tree', { name: 'Files of shop' });
  const inspector = () => page.getByRole('complementary', { name: 'Inspector' });
  const source = (path: string) => page.getByRole('listbox', { name: `Source of ${path}` });

  it('is in the navigation, and indexes the first project', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Code' }).click();
    await page.getByRole('heading', { name: 'No project is indexed' }).waitFor();
    await page.getByRole('button', { name: 'Add project' }).click();
    await page.getByRole('textbox', { name: 'Folder' }).fill('shop');
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await page.getByText('14 files indexed').first().waitFor();
    await page.getByText('logo.bin').first().waitFor();
    await page.getByRole('heading', { name: 'Skipped files' }).waitFor();
  });

  it('shows the files as a tree with sizes and languages, usable by mouse and keyboard', async () => {
    const folder = tree().getByRole('treeitem', { name: /^server/ });
    await folder.click();
    expect(await folder.getAttribute('aria-expanded')).toBe('true');
    await tree()
      .getByRole('treeitem', { name: /^orders\.py Python \d+ B/ })
      .waitFor();
    await tree().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await tree()
      .getByRole('treeitem', { name: /Ledger\.java/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await source('billing/Ledger.java').waitFor();
    expect(page.url()).toContain('path=billing%2FLedger.java');
  });

  it('shows source with line numbers and colours', async () => {
    await goTo(page, '#/code?project=shop&path=server%2Forders.py');
    const line = source('server/orders.py').getByRole('option', { name: /^18 def check_amount/ });
    await line.waitFor();
    await expect.poll(() => line.locator('[data-what="keyword"]').allTextContents()).toEqual(['def']);
    await page.screenshot({ path: join(shots, 'source.png') });
  });

  it('a line with a definition shows the symbol with callers, which link to their source; Back returns', async () => {
    await source('server/orders.py')
      .getByRole('option', { name: /^18 def check_amount/ })
      .click();
    await inspector()
      .getByRole('heading', { name: /check_amount/ })
      .waitFor();
    await inspector().getByText('Rejects amounts that are zero or negative.').waitFor();
    const callers = inspector().getByRole('region', { name: 'Called by' });
    await callers.getByRole('link').first().waitFor();
    const before = page.url();
    await callers.getByRole('link', { name: /place/ }).first().click();
    await inspector().getByRole('heading', { name: /place/ }).waitFor();
    await inspector()
      .getByRole('region', { name: 'Calls', exact: true })
      .getByRole('link', { name: /check_amount/ })
      .waitFor();
    await page.goBack();
    await inspector()
      .getByRole('heading', { name: /check_amount/ })
      .waitFor();
    expect(page.url()).toBe(before);
  });

  it('a selected line lists the symbols that it refers to', async () => {
    await goTo(page, '#/code?project=shop&path=server%2Forders.py&sel=');
    await source('server/orders.py')
      .getByRole('option', { name: /\d+\s+check_amount\(/ })
      .first()
      .click();
    const told = page.getByText('refers to').locator('..');
    await told.getByRole('link', { name: /check_amount/ }).click();
    await inspector()
      .getByRole('heading', { name: /check_amount/ })
      .waitFor();
  });

  it('searches by words and by names', async () => {
    const field = page.getByRole('searchbox', { name: 'Search the code' });
    await field.fill('reject amounts that are negative');
    await page.keyboard.press('Enter');
    const first = page.getByRole('list').getByRole('link', { name: 'check_amount' }).first();
    await first.click();
    await source('server/orders.py').waitFor();
    await page.goBack();
    await first.waitFor();
    await page.getByRole('radio', { name: 'Names' }).click();
    await field.fill('ledger');
    await page.keyboard.press('Enter');
    await page
      .getByRole('main')
      .getByRole('link', { name: /Ledger.*billing\/Ledger\.java/ })
      .first()
      .click();
    await inspector()
      .getByRole('heading', { name: /Ledger/ })
      .waitFor();
  });

  it('draws the calls of a symbol', async () => {
    await goTo(page, '#/code?project=shop&sel=symbol:shop:server/orders.py%23check_amount');
    await inspector().getByRole('button', { name: 'Draw calls' }).click();
    await page.getByRole('application', { name: /^Graph of \d symbols and \d edges?\./ }).waitFor();
    await page.getByRole('heading', { name: 'Calls of check_amount' }).waitFor();
    await page.screenshot({ path: join(shots, 'calls.png') });
    await inspector().getByRole('region', { name: 'Called by' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Calls of check_amount' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: /^Calls of / }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Calls of check_amount' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Show source' }).click();
    await source('server/orders.py').waitFor();
  });

  it.each(['light', 'dark'] as const)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const [name, hash] of [
      ['overview', '#/code?project=shop'],
      ['file', '#/code?project=shop&path=web%2Fclient.ts&line=15&sel=symbol:shop:server/orders.py%23check_amount'],
      ['results', '#/code?project=shop&q=value+added+tax'],
      ['names', '#/code?project=shop&q=order&in=names'],
      ['calls', '#/code?project=shop&show=calls&sel=symbol:shop:server/orders.py%23check_amount'],
    ] as const) {
      await goTo(page, hash);
      await page.waitForTimeout(700);
      await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`) });
      const found = await violations(page);
      expect(found, `${name}\n${found.join('\n')}`).toEqual([]);
    }
  });

  it('fits a narrow window, where the tree is behind a button', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await goTo(page, '#/code?project=shop&path=web%2Fclient.ts');
    await source('web/client.ts').waitFor();
    expect(await tree().isVisible()).toBe(false);
    await page.screenshot({ path: join(shots, 'narrow.png') });
    await page.getByRole('button', { name: 'Projects and files' }).click();
    await tree()
      .getByRole('treeitem', { name: /^README/ })
      .click();
    await source('README.md').waitFor();
    expect(await tree().isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('adds a second project, and deletes one', async () => {
    await page.getByRole('button', { name: 'Add project' }).click();
    await page.getByRole('textbox', { name: 'Folder' }).fill('other');
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await page
      .getByRole('tree', { name: 'Files of other' })
      .getByRole('treeitem', { name: /money\.py/ })
      .waitFor();
    await page.getByRole('button', { name: 'Delete the index of other' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the index of other').waitFor();
    await tree().waitFor();
    await goTo(page, '#/code?project=other');
    await page.getByRole('heading', { name: 'The project “other” is not indexed' }).waitFor();
  });

  it('keeps a project current while the switch is on', async () => {
    await goTo(page, '#/code?project=shop');
    const current = page.getByRole('switch', { name: 'Keep current' });
    expect(await current.isChecked()).toBe(false);
    await current.click();
    await page.getByText('as files change', { exact: true }).waitFor();
    await page.screenshot({ path: join(shots, 'keep-current.png') });
    await page.getByText('14 files indexed').first().waitFor();
    const added = join(places, 'shop/added.py');
    writeFileSync(added, 'def added():\n    pass\n');
    await tree()
      .getByRole('treeitem', { name: /^added\.py/ })
      .waitFor();
    rmSync(added);
    await page.getByText('14 files indexed').first().waitFor();
    await page.reload();
    await up(page);
    await expect.poll(() => current.isChecked()).toBe(true);
    await current.focus();
    await page.keyboard.press('Space');
    await page.getByText('as files change', { exact: true }).waitFor({ state: 'detached' });
    expect(await current.isChecked()).toBe(false);
    expect(await ask(page, 'get_index_status', { project_id: 'shop' })).not.toHaveProperty('watched');
  });

  it('the switch returns to its place when the server refuses', async () => {
    await ask(page, 'index_project', { path: 'other', wait: true });
    rmSync(join(places, 'other'), { recursive: true });
    await goTo(page, '#/code?project=other');
    const current = page.getByRole('switch', { name: 'Keep current' });
    await current.click();
    await page
      .getByText(/Invalid path/)
      .first()
      .waitFor();
    expect(await current.isChecked()).toBe(false);
    expect(await current.isEnabled()).toBe(true);
    await ask(page, 'delete_project', { project_id: 'other' });
  });

  it('a token that may only read has no switch', async () => {
    const made = await page.evaluate(async () => {
      const answer = await window.limbic.settings?.createToken({ name: 'reader', read_only: true, explorer: true });
      return answer?.ok === true ? answer.value : '';
    });
    const other = await browser.newPage();
    await other.goto(testAddress(server.addressWith(made)));
    await up(other);
    await goTo(other, '#/code?project=shop');
    await other.getByText('14 files indexed').first().waitFor();
    expect(await other.getByRole('switch').count()).toBe(0);
    await other.close();
  });

  it('reports errors of the server', async () => {
    await goTo(page, '#/code?project=shop');
    await page.getByRole('button', { name: 'Add project' }).click();
    await page.getByRole('textbox', { name: 'Folder' }).fill('../..');
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await page
      .getByText(/Invalid path/)
      .first()
      .waitFor();
    const asked = page.getByRole('alertdialog').getByRole('textbox', { name: 'Folder' });
    await asked.waitFor();
    expect(await asked.inputValue()).toBe('../..');
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    await goTo(page, '#/code?project=shop&path=logo.bin');
    await page.getByRole('alert').getByText('logo.bin cannot be shown: binary').waitFor();
  });

  it('logs nothing to the console', () => {
    expect(errors, errors.join('\n')).toEqual([]);
  });
});

it('a read-only server shows the code and changes nothing', async () => {
  const database = join(temporaryFolder(), 'memory.db');
  const options = ['--test-encoder', '--toolsets', 'code', '--code-root', places];
  const writable = await LimbicServer.start(database, { options });
  const first = await explorer(writable);
  expect(await ask(first.page, 'index_project', { path: 'shop', wait: true })).toMatchObject({ status: 'completed' });
  await writable.kill();
  const server = await LimbicServer.start(database, { options, isReadOnly: true });
  const { page } = await explorer(server);
  await goTo(page, '#/code?project=shop&path=server%2Forders.py');
  await page.getByRole('listbox', { name: 'Source of server/orders.py' }).waitFor();
  await page.getByText('14 files indexed').first().waitFor();
  expect(await page.getByRole('button', { name: /^(Add|Delete|Index)/ }).count()).toBe(0);
  expect(await page.getByRole('switch').count()).toBe(0);
  await server.kill();
});

it('a server without the code index has no such view, and its address shows how to enable it', async () => {
  const server = await start(['--test-encoder']);
  const { page } = await explorer(server);
  await page.getByText('Connected to server').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Statistics' }).waitFor();
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Code' }).count()).toBe(0);
  await goTo(page, '#/code');
  await page.getByText('This server does not index source code').waitFor();
  await page.getByText('--toolsets all').waitFor();
  await server.kill();
});

describe('a page without a server', () => {
  const built = builtPage();
  const folder = join(places, 'opened');
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    cpSync(join(ROOT, 'tests/files/shop'), folder, { recursive: true });
    copyFileSync(join(ROOT, 'tests/files/code/library.rb'), join(folder, 'library.rb'));
    ({ page, errors } = await built.watchedTab('?memory&no-model', async (page) => {
      // The picker of folders is a dialog of the system; browsers without it take an input of files.
      await page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'showDirectoryPicker'));
    }));
  });

  it('indexes a folder that is opened, with the languages of both modules', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Code' }).click();
    await page.getByRole('heading', { name: 'No source code is open' }).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Open a folder' }).click(),
    ]);
    await chooser.setFiles(folder);
    await page.getByText('15 files indexed').first().waitFor();
    const tree = page.getByRole('tree', { name: 'Files of opened' });
    await tree.getByRole('treeitem', { name: /^library\.rb Ruby/ }).click();
    await page.getByRole('listbox', { name: 'Source of library.rb' }).getByText('class').first().waitFor();
    expect(await ask(page, 'search_symbols', { query: 'check_amount' })).toMatchObject({ total: 1 });
    expect(await page.getByRole('switch').count()).toBe(0);
  });

  it('follows calls from the inspector, and keeps the memory apart', async () => {
    await goTo(page, '#/code?project=opened&sel=symbol:opened:server/orders.py%23check_amount');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('link', { name: /place/ }).first().waitFor();
    await ask(page, 'memory_store', { content: 'Deploys run on Tuesdays' });
    expect((await ask(page, 'explore_stats', {})).counts).toMatchObject({ memories: 1 });
  });

  it('indexes the folder of a handle, and reads it again on request', async () => {
    const { page: other, errors: complaints } = await built.watchedTab('?memory', async (page) => {
      // The picker is a dialog of the system. Folders of the page's own storage have the same handles.
      await page.addInitScript(() => {
        const write = async (folder: FileSystemDirectoryHandle, name: string, text: string): Promise<void> => {
          const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
          await writable.write(text);
          await writable.close();
        };
        const showDirectoryPicker = async (): Promise<FileSystemDirectoryHandle> => {
          const storage = await navigator.storage.getDirectory();
          const picked = await storage.getDirectoryHandle('picked', { create: true });
          const deep = await picked.getDirectoryHandle('deep', { create: true });
          const never = await picked.getDirectoryHandle('node_modules', { create: true });
          await write(picked, '.gitignore', 'made.py\n');
          await write(picked, 'made.py', 'def made():\n    pass\n');
          await write(picked, 'top.py', 'from deep.low import low\n\ndef top():\n    return low()\n');
          await write(deep, 'low.py', 'def low():\n    return 1\n');
          await write(never, 'other.js', 'function other() {}\n');
          return picked;
        };
        Object.assign(globalThis, { showDirectoryPicker });
      });
    });
    await other.getByRole('navigation').getByRole('link', { name: 'Code' }).click();
    await other.getByRole('button', { name: 'Open a folder' }).click();
    // The page's encoder embeds no source code.
    await other.getByText('3 files indexed for keyword search').first().waitFor();
    const callers = { symbol_id: 'picked:deep/low.py#low', action: 'callers' as const };
    expect(await ask(other, 'symbol_graph', callers)).toMatchObject({ edges: [{ from: 'picked:top.py#top' }] });
    expect(await ask(other, 'search_symbols', { query: '' })).toMatchObject({ total: 2 });
    await other.evaluate(async () => {
      const storage = await navigator.storage.getDirectory();
      const picked = await storage.getDirectoryHandle('picked');
      const writable = await (await picked.getFileHandle('late.py', { create: true })).createWritable();
      await writable.write('def late():\n    pass\n');
      await writable.close();
    });
    expect(await ask(other, 'search_symbols', { query: 'late' })).toMatchObject({ total: 0 });
    await other.getByRole('button', { name: 'Index picked again' }).click();
    await other.getByText('4 files indexed').first().waitFor();
    expect(await ask(other, 'search_symbols', { query: 'late' })).toMatchObject({ total: 1 });
    expect(complaints, complaints.join('\n')).toEqual([]);
    await other.close();
  });

  it('takes dropped files, and forgets a deleted project', async () => {
    await goTo(page, '#/code?project=opened&sel=');
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['def late():\n    pass\n'], 'late.py'));
      return data;
    });
    await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
    await page.getByText('1 file indexed').first().waitFor();
    expect(await ask(page, 'search_symbols', { query: 'late' })).toMatchObject({ total: 1 });
    await ask(page, 'delete_project', { project_id: 'dropped files' });
    expect(await ask(page, 'list_projects', {})).toMatchObject({ count: 1 });
  });

  it('logs nothing to the console', () => {
    expect(errors, errors.join('\n')).toEqual([]);
  });
});
