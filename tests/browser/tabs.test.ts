import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { complaints, INSECURE_HOST } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { ask, call, dropFile, isSound, names, open } from './support/memory.ts';

const built = builtPage();

const tab = (database: string): Promise<Page> => built.tab(`?database=${database}`);

const role = (page: Page): Promise<string | undefined> => page.evaluate(() => window.limbic.status.get().role);

/** Kills the tab's renderer, as a crash does. */
async function kill(page: Page): Promise<void> {
  const session = await built.browser.newCDPSession(page);
  const crashed = new Promise((resolve) => page.once('crash', resolve));
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

describe('the database in the browser', () => {
  it('persists after a reload', async () => {
    const page = await tab('reload.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
    await open(page, built.url, '?database=reload.db');
    expect(await names(page)).toEqual(['Ada']);
    expect(await page.evaluate(() => window.limbic.status.get().storage)).toBe('browser');
    await page.close();
  });

  it('is shared by three tabs with one leader', async () => {
    const tabs = [await tab('three.db'), await tab('three.db'), await tab('three.db')];
    for (const [index, page] of tabs.entries())
      await ask(page, 'create_entities', { entities: [{ name: `of tab ${index}` }] });
    for (const page of tabs) expect(await names(page)).toEqual(['of tab 0', 'of tab 1', 'of tab 2']);
    expect(await Promise.all(tabs.map(role))).toEqual(['leader', 'follower', 'follower']);
    await Promise.all(tabs.map((page) => page.close()));
  });

  it('notifies other tabs of a change', async () => {
    const tabs = [await tab('told.db'), await tab('told.db')] as const;
    const before = await tabs[0].evaluate(() => window.limbic.revision.get());
    await ask(tabs[1], 'create_entities', { entities: [{ name: 'Ada' }] });
    await tabs[0].waitForFunction((before) => window.limbic.revision.get() > before, before);
    await Promise.all(tabs.map((page) => page.close()));
  });

  it('sends a reply only to the tab of the request', async () => {
    const [leader, follower, third] = [await tab('replies.db'), await tab('replies.db'), await tab('replies.db')];
    await ask(leader, 'create_entities', { entities: [{ name: 'Ada' }] });
    const heard = await third.evaluateHandle(() => {
      const messages: string[] = [];
      new BroadcastChannel('limbic:replies.db').onmessage = ({ data }) => messages.push(JSON.stringify(data));
      return messages;
    });
    const opened = await ask(follower, 'open_nodes', { names: ['Ada'] });
    expect(JSON.stringify(opened)).toContain('Ada');
    await ask(follower, 'create_entities', { entities: [{ name: 'Grace' }] });
    // Messages of a channel arrive in order: after the notification of the change, all earlier ones have arrived.
    await third.waitForFunction((messages) => messages.some((text) => text.includes('"changed"')), heard);
    const types = await third.evaluate(
      (messages) => messages.map((text) => (JSON.parse(text) as { type: string }).type),
      heard,
    );
    expect(types).toContain('ask');
    expect(types).not.toContain('reply');
    await Promise.all([leader, follower, third].map((page) => page.close()));
  });

  it('answers all requests of a tab while other tabs are opened', async () => {
    const [leader, follower, third] = [await tab('opened.db'), await tab('opened.db'), await tab('opened.db')];
    // A new tab asks for the leader; here, between requests that wait.
    const channel = await third.evaluateHandle(() => new BroadcastChannel('limbic:opened.db'));
    const failed = follower.evaluate(async () => {
      const writes = Array.from({ length: 60 }, (_, index) =>
        window.limbic.call('create_entities', { entities: [{ name: `entity ${index}` }] }),
      );
      return (await Promise.all(writes)).flatMap((answer) => (answer.ok ? [] : [answer.error.error]));
    });
    for (let tabs = 0; tabs < 5; tabs += 1)
      await channel.evaluate((opened) => opened.postMessage({ type: 'find-leader' }));
    expect(await failed).toEqual([]);
    expect(await names(follower)).toHaveLength(60);
    await Promise.all([leader, follower, third].map((page) => page.close()));
  });

  it('moves to another tab when its tab is closed', async () => {
    const [first, second] = [await tab('closed.db'), await tab('closed.db')];
    await ask(first, 'create_entities', { entities: [{ name: 'Ada' }] });
    await first.close();
    const startMillis = performance.now();
    expect(await names(second)).toEqual(['Ada']);
    const tookMillis = performance.now() - startMillis;
    console.log(`  taken over ${Math.round(tookMillis)} ms after the leader was closed`);
    expect(await role(second)).toBe('leader');
    await second.close();
  });

  it('loses no acknowledged write when its tab is killed', async () => {
    const tookMillis: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const database = `killed-${round}.db`;
      const [leader, writer, third] = [await tab(database), await tab(database), await tab(database)];
      // Both write continuously: many calls are pending when the leader dies.
      const told = await writer.evaluateHandle(() => {
        const acknowledged: string[] = [];
        const failed: string[] = [];
        const state = { acknowledged, failed, isOver: false, lastMillis: 0, gapMillis: 0 };
        void (async () => {
          for (let index = 0; !state.isOver; index += 1) {
            const name = `entity ${index}`;
            const entities = [
              {
                name,
                observations: Array.from(
                  { length: 20 },
                  (_, fact) => `fact ${fact} about ${name}, long enough to fill pages`,
                ),
              },
            ];
            const { ok } = await window.limbic.call('create_entities', { entities });
            const nowMillis = performance.now();
            if (state.lastMillis > 0) state.gapMillis = Math.max(state.gapMillis, nowMillis - state.lastMillis);
            state.lastMillis = nowMillis;
            (ok ? acknowledged : failed).push(name);
          }
        })();
        return state;
      });
      await leader.evaluate(() => {
        const write = async (): Promise<void> => {
          for (let index = 0; ; index += 1)
            await window.limbic.call('create_entities', { entities: [{ name: `leader's ${index}` }] });
        };
        void write();
      });
      await writer.waitForTimeout(400 + round * 37);
      const before = await told.evaluate(({ acknowledged }) => acknowledged.length);
      await kill(leader);
      await writer.waitForFunction(({ state, before }) => state.acknowledged.length > before + 20, {
        state: told,
        before,
      });
      const { acknowledged, failed, gapMillis } = await told.evaluate(async (state) => {
        state.isOver = true;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return state;
      });
      tookMillis.push(gapMillis);
      const { rows } = await ask(third, 'query_sql', {
        sql: 'SELECT name, (SELECT count(*) FROM observations o WHERE o.entity_id = e.id) FROM entities e',
        limit: 10_000,
      });
      const stored = new Map(rows.map(([name, count]) => [name, count]));
      expect(failed).toEqual([]);
      expect(acknowledged.filter((name) => stored.get(name) !== 20)).toEqual([]);
      expect(await isSound(third)).toBe(true);
      expect((await Promise.all([role(writer), role(third)])).sort()).toEqual(['follower', 'leader']);
      await Promise.all([leader, writer, third].map((page) => page.close()));
    }
    console.log(
      `  longest wait of a writer while its leader was killed: ${tookMillis.map((millis) => Math.round(millis)).join(', ')} ms`,
    );
  });
});

describe('a core that traps', () => {
  it('is replaced automatically, and stored data remains', async () => {
    const page = await tab('trap.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    const broken = await page.evaluate(() => window.limbic.breakForTest?.());
    expect(broken).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(await names(page)).toEqual(['Ada']);
    await ask(page, 'create_entities', { entities: [{ name: 'Grace' }] });
    expect(await names(page)).toEqual(['Ada', 'Grace']);
    await page.close();
  });

  it("is replaced when it is another tab's", async () => {
    const [leader, follower] = [await tab('trap-tabs.db'), await tab('trap-tabs.db')];
    await ask(follower, 'create_entities', { entities: [{ name: 'Ada' }] });
    expect(await follower.evaluate(() => window.limbic.breakForTest?.())).toMatchObject({
      ok: false,
      error: { code: 'internal' },
    });
    expect(await names(follower)).toEqual(['Ada']);
    expect(await names(leader)).toEqual(['Ada']);
    await Promise.all([leader.close(), follower.close()]);
  });

  it('keeps in-memory data', async () => {
    const page = await built.newPage();
    await open(page, built.url, '?memory');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    expect(await page.evaluate(() => window.limbic.breakForTest?.())).toMatchObject({
      ok: false,
      error: { code: 'internal' },
    });
    expect(await names(page)).toEqual(['Ada']);
    await page.close();
  });
});

describe('storage', () => {
  it('that is missing is reported, and the page works in memory', async () => {
    const page = await built.newPage();
    await page.addInitScript(() => {
      Object.defineProperty(StorageManager.prototype, 'getDirectory', {
        value: () => Promise.reject(new DOMException('no', 'SecurityError')),
      });
    });
    await page.route('**/core-worker*.js', async (route) => {
      const response = await route.fetch();
      const refusing =
        'StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("no", "SecurityError"));';
      await route.fulfill({ response, body: refusing + (await response.text()) });
    });
    await open(page, built.url, '?database=missing.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    expect(await names(page)).toEqual(['Ada']);
    await page.getByText('In memory only').waitFor();
    await page.close();
  });

  it('that requires a secure context is reported, and the page works in memory', async () => {
    const page = await built.newPage();
    const found = complaints(page);
    const url = new URL(built.url);
    url.hostname = INSECURE_HOST;
    await open(page, url.href, '?demo#/table?kind=entities');
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByText('The memory is kept only until this page is closed.').waitFor();
    await page.getByText('Over https or on localhost, the browser would store the memory').first().waitFor();
    await page.getByText('In memory only').waitFor();
    // The demo loads its sample, for one tab.
    await expect.poll(async () => (await ask(page, 'explore_stats', {})).counts.entities).toBeGreaterThan(100);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await dropFile(
      page,
      'memory.jsonl',
      Buffer.from('{"type":"entity","name":"Grace","entityType":"person","observations":["likes tea"]}\n'),
    );
    await page.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Close' }).click();
    expect(await names(page)).toEqual(expect.arrayContaining(['Ada', 'Grace']));
    await page.getByRole('row').nth(1).click();
    await page.keyboard.press('Space');
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied 1 entity').waitFor();
    expect(found).toEqual([]);
    await page.close();
  });

  it('is asked for by the leader once there are records, and the page says whether it is kept', async () => {
    const page = await built.newPage();
    await page.addInitScript(() => {
      // The browser agrees when it is asked for the second time.
      const state = { asked: 0 };
      Object.assign(window, { keeping: state });
      StorageManager.prototype.persisted = async () => false;
      StorageManager.prototype.persist = async () => {
        state.asked += 1;
        return state.asked > 1;
      };
    });
    const asked = () => page.evaluate(() => (window as unknown as { keeping: { asked: number } }).keeping.asked);
    await open(page, built.url, '?database=kept.db#/settings');
    const storage = page.getByRole('region', { name: 'Storage', exact: true });
    await storage.getByText('may delete the memory').waitFor();
    expect(await asked()).toBe(0);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await expect.poll(asked).toBe(1);
    await ask(page, 'create_entities', { entities: [{ name: 'Grace' }] });
    expect(await page.getByRole('contentinfo').getByTitle('may delete the memory').count()).toBe(1);
    await storage.getByRole('button', { name: 'Ask the browser to keep it' }).click();
    await storage.getByText('keeps the memory until you delete').waitFor();
    expect(await asked()).toBe(2);
    await page.close();
  });

  it('that is full is reported, and no stored data is lost', async () => {
    const page = await tab('quota.db');
    const origin = new URL(built.url).origin;
    await ask(page, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
    const session = await built.browser.newCDPSession(page);
    const { usage } = await session.send('Storage.getUsageAndQuota', { origin });
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usage + 300_000 });
    let refused: unknown;
    for (let index = 0; index < 400 && refused === undefined; index += 1) {
      const observations = Array.from({ length: 20 }, (_, fact) => `${index}/${fact} ${'long '.repeat(200)}`);
      const answer = await call(page, 'create_entities', { entities: [{ name: `big ${index}`, observations }] });
      if (!answer.ok) refused = answer.error;
    }
    console.log(`  the answer when storage is full: ${JSON.stringify(refused)}`);
    expect(refused).toMatchObject({ code: 'disk_full' });
    expect(await names(page)).toContain('Ada');
    // With free space, writes succeed again, and a reload shows all.
    await session.send('Storage.overrideQuotaForOrigin', { origin });
    await ask(page, 'create_entities', { entities: [{ name: 'after' }] });
    await open(page, built.url, '?database=quota.db');
    expect(await isSound(page)).toBe(true);
    expect(await names(page)).toEqual(expect.arrayContaining(['Ada', 'after', 'big 0']));
    await page.close();
  });
});
