import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './support/browser.ts';
import { LimbicServer, type ServerOptions } from './support/limbic-server.ts';
import { ask, names, testAddress, up } from './support/memory.ts';
import { temporaryFolder } from './support/places.ts';

/** Maximum time until the page has reconnected to a restarted server and loaded. */
const MAX_RECOVERY_MILLIS = 8000;

const TOKEN = 'a-token-for-tests-of-the-page';

let browser: BrowserContext;
const servers: LimbicServer[] = [];

beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  for (const page of browser.pages().slice(1)) await page.close();
  for (const server of servers.splice(0)) await server.kill();
});
afterAll(() => browser.close());

async function start(
  database = join(temporaryFolder(), 'memory.db'),
  options: ServerOptions = {},
): Promise<LimbicServer> {
  const server = await LimbicServer.start(database, options);
  servers.push(server);
  return server;
}

/** Opens the page by the address that the server printed. */
async function explorer(server: LimbicServer): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(testAddress(server.address));
  await up(page);
  return page;
}

describe('the page on a server', () => {
  it('opens by the printed address, and removes the token from it', async () => {
    const server = await start();
    const page = await explorer(server);
    await page.getByText('Connected to server').waitFor();
    expect(page.url()).not.toContain(server.token);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    // A reload finds the token in the session.
    await page.reload();
    await up(page);
    expect(await names(page)).toEqual(['Ada']);
  });

  it('gets the answers of other calls when the server no longer knows its session', async () => {
    const server = await start();
    const page = await explorer(server);
    let isLost = false;
    await page.route('**/mcp/explorer', async (route) => {
      const body = route.request().postData() ?? '';
      if (body.includes('slow')) {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await route.continue();
      } else if (body.includes('lost') && !isLost) {
        isLost = true;
        await route.fulfill({ status: 404, body: '{}' });
      } else await route.continue();
    });
    const answers = await page.evaluate(() =>
      Promise.all([
        window.limbic.callByName('create_entities', { entities: [{ name: 'slow' }] }),
        window.limbic.callByName('search_nodes', { query: 'lost' }),
        window.limbic.callByName('explore_stats', {}),
      ]),
    );
    expect(isLost).toBe(true);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await names(page)).toEqual(['slow']);
  });

  it('warns before changes of a memory that cannot be undone', async () => {
    const server = await start();
    const page = await explorer(server);
    await ask(page, 'memory_store', { id: 'tea', content: 'Ada likes tea' });
    await page.evaluate(() => void (location.hash = '#/table?kind=memories&sel=memory:tea'));
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Invalidate memory' }).click();
    await page.getByRole('dialog', { name: 'Invalidate memory' }).getByText('This cannot be undone here.').waitFor();
    await page.keyboard.press('Escape');
    await inspector.getByRole('button', { name: 'Delete memory' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete 1 memory?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await ask(page, 'explore_memory', { id: 'tea' })).memory.content).toBe('Ada likes tea');
    await inspector.getByRole('button', { name: 'Delete memory' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await inspector.waitFor({ state: 'detached' });
  });

  it('shows what another client changes, without a reload', async () => {
    const server = await start();
    const page = await explorer(server);
    const agent = await server.connect('an-agent');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
    await page.evaluate(() => void (location.hash = '#/graph?sel=entity:Ada'));
    await page.getByText('likes tea').waitFor();
    const tookMillis: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const fact = `learned fact number ${round}`;
      const startMillis = performance.now();
      await agent.callTool({ name: 'add_observations', arguments: { name: 'Ada', observations: [fact] } });
      await page.getByText(fact).waitFor();
      tookMillis.push(performance.now() - startMillis);
    }
    console.log(
      `  from the call of another client until it is seen: ${tookMillis.map((millis) => Math.round(millis)).join(', ')} ms`,
    );
    await agent.close();
  });

  it('deletes a memory, and undo restores it through tool calls', async () => {
    const server = await start();
    const page = await explorer(server);
    const agent = await server.connect('an-agent');
    await agent.callTool({ name: 'create_domain', arguments: { id: 'atlas' } });
    await agent.callTool({
      name: 'memory_store',
      arguments: {
        memories: [
          { id: 'a', content: 'Deploys go out on Tuesdays', tags: ['deploy'], category: 'convention' },
          { id: 'b', content: 'The audit is in November' },
          { id: 'c', content: 'Backups run at night', domain: 'atlas' },
        ],
      },
    });
    for (const [to_id, type] of [
      ['b', 'supports'],
      ['c', 'related'],
    ])
      await agent.callTool({
        name: 'memory_link',
        arguments: { from_id: 'a', to_id, type, ...(type === 'supports' && { strength: 0.5 }) },
      });
    await page.evaluate(() => void (location.hash = '#/graph?sel=memory:a'));
    await page.getByRole('button', { name: 'Domain: All domains' }).waitFor();
    const shape = async (): Promise<unknown> => {
      const { memory, links } = await ask(page, 'explore_memory', { id: 'a' });
      return [
        memory.content,
        memory.category,
        memory.tags,
        links.map(({ to_id, type, strength, is_reference }) => [to_id, type, strength, is_reference]).sort(),
      ];
    };
    const before = await shape();
    await page.getByRole('button', { name: 'Delete memory' }).click();
    await page.getByRole('alertdialog', { name: 'Delete 1 memory?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('but not dates, history and access counts').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => shape().catch(() => undefined)).toEqual(before);
    await agent.close();
  });

  it('logs calls of this page and of others, each once', async () => {
    const server = await start();
    const page = await explorer(server);
    const agent = await server.connect('an-agent');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await agent.callTool({ name: 'search_nodes', arguments: { query: 'Ada' } });
    await page.waitForFunction(() => window.limbic.log.calls.get().some(({ tool }) => tool === 'search_nodes'));
    const calls = await page.evaluate(() =>
      window.limbic.log.calls.get().map(({ tool, client, isError }) => ({ tool, client, isError })),
    );
    const of = (wanted: string) => calls.filter(({ tool }) => tool === wanted);
    expect(of('search_nodes')).toEqual([{ tool: 'search_nodes', client: 'an-agent', isError: false }]);
    expect(of('create_entities')).toEqual([{ tool: 'create_entities', client: 'this page', isError: false }]);
    await agent.close();
  });

  it('reports a lost server, and reconnects by itself', async () => {
    const database = join(temporaryFolder(), 'memory.db');
    const first = await start(database, { token: TOKEN });
    const page = await explorer(first);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    // The canvas is loaded when there is something to draw: from a server that is gone, it could not be.
    await page.locator('canvas').first().waitFor();
    await first.kill();
    await page.getByText('Server disconnected').waitFor();
    await page.getByRole('alert').getByText('The server is disconnected').waitFor();
    const lost = await page.evaluate(() => window.limbic.call('read_graph', {}));
    expect(lost).toMatchObject({ ok: false, error: { code: 'server_unreachable' } });
    const second = await start(database, { port: first.port, token: TOKEN });
    const startMillis = performance.now();
    await page.getByText('Connected to server').waitFor({ timeout: MAX_RECOVERY_MILLIS });
    console.log(`  back ${Math.round(performance.now() - startMillis)} ms after the server was`);
    expect(await names(page)).toEqual(['Ada']);
    await ask(page, 'create_entities', { entities: [{ name: 'Grace' }] });
    const agent = await second.connect('an-agent');
    await agent.callTool({ name: 'create_entities', arguments: { entities: [{ name: 'Edsger' }] } });
    await page.evaluate(() => void (location.hash = '#/graph?most=200'));
    await page.getByText('3 entities').waitFor();
    await agent.close();
  });

  it('reports that the server was restarted with another token', async () => {
    const database = join(temporaryFolder(), 'memory.db');
    const first = await start(database);
    const page = await explorer(first);
    await first.kill();
    await start(database, { port: first.port });
    await page.getByRole('alert').getByText('another token').waitFor({ timeout: MAX_RECOVERY_MILLIS });
  });
});

/** Controls that change the memory, by prefixes of their names. */
const EDITS =
  /^(Add|Apply|Archive|Change|Create|Delete|Drag|Edit|End|Import|Invalidate|Keep (?:all|both|the|this|with)|Link|Load|Move|New domain|Pin|Redo|Remove|Reset|Reword|Select|Split|Undo|Unpin)\b|\. Edit$/;

/** Addresses at which a memory is edited, each with a control that a writable server offers there. */
const EDITED: readonly (readonly [string, RegExp])[] = [
  ['#/table?sel=entity:Ada', /^Delete entity/],
  ['#/table?kind=memories&sel=memory:tea', /^Delete memory/],
  ['#/graph?focus=Ada&sel=entity:Ada', /^Add observation/],
  ['#/maintenance?part=duplicates&entity=Ada', /^Keep this one/],
  ['#/maintenance?part=splits&entity=Ada', /^Split/],
  ['#/maintenance?part=stale', /^Archive/],
  ['#/maintenance?part=contradictions', /^Keep both/],
  ['#/maintenance?part=plan', /^Refresh plan/],
];

describe('a page on a server that is read-only', () => {
  it('offers no control that changes the memory', async () => {
    const database = join(temporaryFolder(), 'memory.db');
    const first = await start(database);
    const writable = await explorer(first);
    await ask(writable, 'create_entities', {
      entities: [
        {
          name: 'Ada',
          observations: ['likes green tea in the morning', 'likes green tea in the mornings', 'leads Atlas'],
        },
        { name: 'Atlas' },
      ],
    });
    await ask(writable, 'create_relations', { relations: [{ from: 'Ada', to: 'Atlas', relationType: 'leads' }] });
    await ask(writable, 'memory_store', {
      memories: [
        { id: 'tea', content: 'The tea is green', tags: ['tea'] },
        { id: 'coffee', content: 'The tea is black' },
      ],
    });
    await ask(writable, 'memory_link', { from_id: 'coffee', to_id: 'tea', type: 'contradicts' });
    for (const [address, edit] of EDITED) {
      await writable.evaluate((hash) => void (location.hash = hash), address);
      await writable.getByRole('button', { name: edit }).first().waitFor();
    }
    expect((await controls(writable)).length).toBeGreaterThan(0);
    await first.kill();

    const page = await explorer(await start(database, { isReadOnly: true }));
    await page.getByText('Connected, read-only').waitFor();
    const found: string[] = [];
    for (const [address] of EDITED) {
      await page.evaluate((hash) => void (location.hash = hash), address);
      await page.waitForFunction(
        () =>
          document.querySelector('[aria-busy="true"]') === null &&
          (document.querySelector('main')?.textContent ?? '') !== '',
      );
      await page.waitForTimeout(300);
      found.push(...(await controls(page)).filter((name) => EDITS.test(name)).map((name) => `${address}: ${name}`));
    }
    expect(found, found.join('\n')).toEqual([]);
    await page.evaluate(() => void (location.hash = '#/table?kind=entities'));
    await page.getByRole('row', { name: /Ada/ }).first().click();
    await page.keyboard.press('Space');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Memory: import, export, sample, tour' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Export database', 'Guided tour']);
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    expect((await names(page)).sort()).toEqual(['Ada', 'Atlas']);
  });
});

/** Names of all visible buttons, checkboxes and fields. */
async function controls(page: Page): Promise<string[]> {
  const found = await Promise.all(
    (['button', 'checkbox', 'radio', 'textbox', 'combobox'] as const).map((role) => page.getByRole(role).all()),
  );
  const texts = await Promise.all(
    found
      .flat()
      .map((control) => control.evaluate((element) => element.getAttribute('aria-label') ?? element.textContent ?? '')),
  );
  return texts.map((text) => text.trim());
}

describe('a page without the right token', () => {
  it.each([
    ['none', ''],
    ['a wrong one', '#token=wrong'],
  ])('explains what to do: %s', async (_, fragment) => {
    const server = await start();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/${fragment}`);
    await page.getByRole('heading', { name: 'This page is not authorised' }).waitFor();
    await page.getByText('Open the address that the server printed').waitFor();
  });

  it('opens with the printed address', async () => {
    const server = await start();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/#token=wrong`);
    await page.getByRole('heading', { name: 'This page is not authorised' }).waitFor();
    await page.goto(server.address);
    await page.getByText('Connected to server').waitFor();
  });
});
