/**
 * The page on the native server: what differs from the Node server over HTTP. `server.test.ts` tests the page itself,
 * on the Node server.
 */
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ask, names, testAddress, up } from './support/memory.ts';
import { NATIVE, STORE, temporaryFolder } from './support/places.ts';

/** Where the memory can be. PostgreSQL only where a server runs, since a test that does not run counts as failed. */
const DATABASES: readonly (readonly [string, () => string])[] = [
  ['a file', () => join(temporaryFolder(), 'memory.db')],
  ...(STORE === undefined ? [] : [['PostgreSQL', () => `${STORE}-${process.pid}-${Date.now()}`] as const]),
];

let browser: BrowserContext;
const servers: LimbicServer[] = [];

describe.skipIf(NATIVE === undefined)('the page on the native server', () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    for (const page of browser.pages().slice(1)) await page.close();
    for (const server of servers.splice(0)) await server.kill();
  });
  afterAll(() => browser.close());

  async function start(database: string, token?: string, port?: number): Promise<LimbicServer> {
    const options = { program: NATIVE, token, port, dataFolder: temporaryFolder() };
    const server = await LimbicServer.start(database, options);
    servers.push(server);
    return server;
  }

  async function opened(address: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(testAddress(address));
    return page;
  }

  describe.each(DATABASES)('of %s', (_, database) => {
    it('opens by the printed address, and shows what another client changes', async () => {
      const server = await start(database());
      const page = await opened(server.address);
      await up(page);
      await page.getByText('Connected to server').waitFor();
      expect(page.url()).not.toContain(server.token);
      await ask(page, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
      await page.evaluate(() => void (location.hash = '#/graph?sel=entity:Ada'));
      await page.getByText('likes tea').waitFor();
      const agent = await server.connect('an-agent');
      await agent.callTool({ name: 'add_observations', arguments: { name: 'Ada', observations: ['plays chess'] } });
      await page.getByText('plays chess').waitFor();
      await agent.close();
      // A reload finds the token in the session.
      await page.reload();
      await up(page);
      expect(await names(page)).toEqual(['Ada']);
    });
  });

  it('refuses a missing or wrong token, and that of an agent', async () => {
    const server = await start(join(temporaryFolder(), 'memory.db'));
    const without = new URL('/', server.address).href;
    for (const address of [without, server.addressWith('wrong'), server.addressWith(server.agentToken)]) {
      const page = await opened(address);
      await page.getByRole('heading', { name: 'This page is not authorised' }).waitFor();
      await page.close();
    }
  });

  it('reconnects by itself to a server that was restarted', async () => {
    const database = join(temporaryFolder(), 'memory.db');
    const first = await start(database, 'a-token-for-tests-of-the-page');
    const page = await opened(first.address);
    await up(page);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await page.getByText('Connected to server').waitFor();
    await first.kill();
    await page.getByText('Server disconnected').waitFor();
    await start(database, 'a-token-for-tests-of-the-page', first.port);
    await page.getByText('Connected to server').waitFor();
    expect(await names(page)).toEqual(['Ada']);
  });
});
