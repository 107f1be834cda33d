/** Workers that the browser terminates while their page runs, as under memory pressure, without an event. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, names, open, testAddress, up } from './support/memory.ts';

declare global {
  interface Window {
    /** Every worker that the page has started. */
    workers: { readonly name: string; readonly worker: Worker }[];
  }
}

const MODEL_MILLIS = 40_000;

const built = builtPage();

/** Opens a tab whose workers a test can terminate without notice. */
async function newPage(): Promise<Page> {
  const page = await built.newPage();
  await page.addInitScript(() => {
    window.workers = [];
    const Native = Worker;
    window.Worker = class extends Native {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        window.workers.push({ name: options?.name ?? '', worker: this });
      }
    };
  });
  return page;
}

async function tab(path: string): Promise<Page> {
  const page = await newPage();
  await open(page, built.url, path);
  return page;
}

/** Terminates the latest worker of this name without notifying the page. */
function end(page: Page, name: string): Promise<void> {
  return page.evaluate((name) => window.workers.findLast((worker) => worker.name === name)?.worker.terminate(), name);
}

const started = (page: Page, name: string): Promise<number> =>
  page.evaluate((name) => window.workers.filter((worker) => worker.name === name).length, name);

describe('a database worker that is ended', () => {
  it('is detected while idle, reported and replaced', async () => {
    const page = await tab('?database=ended.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    const startMillis = performance.now();
    await end(page, 'core');
    await page.getByText('it was started again').waitFor();
    await page.waitForFunction(() => window.limbic.status.get().connection === 'ready');
    const tookMillis = performance.now() - startMillis;
    console.log(`  noticed and replaced ${Math.round(tookMillis)} ms after it was ended`);
    expect(await started(page, 'core')).toBe(2);
    expect(await names(page)).toEqual(['Ada']);
    await page.close();
  });

  it('during writes loses no acknowledged write, and every call is answered', async () => {
    const page = await tab('?database=ended-writing.db');
    const told = await page.evaluate(async () => {
      const writes = Array.from({ length: 60 }, (_, index) => {
        const entities = [
          {
            name: `entity ${index}`,
            observations: Array.from({ length: 10 }, (_, fact) => `fact ${fact} of ${index}`),
          },
        ];
        return window.limbic.call('create_entities', { entities });
      });
      await writes[5];
      window.workers.at(-1)?.worker.terminate();
      return (await Promise.all(writes)).map(({ ok }, index) => (ok ? `entity ${index}` : undefined));
    });
    const acknowledged = told.filter((name) => name !== undefined);
    expect(acknowledged.length).toBeGreaterThanOrEqual(59);
    expect(await names(page)).toEqual(expect.arrayContaining(acknowledged));
    await page.close();
  });

  it("in the leader's tab does not interrupt the tabs", async () => {
    const [leader, follower] = [await tab('?database=ended-tabs.db'), await tab('?database=ended-tabs.db')];
    await ask(follower, 'create_entities', { entities: [{ name: 'Ada' }] });
    await end(leader, 'core');
    expect(await names(follower)).toEqual(['Ada']);
    expect(await names(leader)).toEqual(['Ada']);
    await Promise.all([leader.close(), follower.close()]);
  });

  it('with an in-memory database loses it, and the page reports that', async () => {
    const page = await tab('?memory');
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    await end(page, 'core');
    await page.getByText('The memory of this page was lost').waitFor();
    expect(await names(page)).toEqual([]);
    await ask(page, 'create_entities', { entities: [{ name: 'Grace' }] });
    expect(await names(page)).toEqual(['Grace']);
    await page.close();
  });

  it('repeatedly during one call makes the call fail', async () => {
    const page = await tab('?database=ended-twice.db');
    await page.evaluate(() => {
      const Before = Worker;
      window.Worker = class extends Before {
        constructor(url: string | URL, options?: WorkerOptions) {
          super(url, options);
          // As soon as it has started.
          this.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) =>
            data.type === 'alive' ? this.terminate() : undefined,
          );
        }
      };
    });
    await end(page, 'core');
    const answer = await page.evaluate(() => window.limbic.call('explore_stats', {}));
    expect(answer).toMatchObject({ ok: false, error: { code: 'interrupted' } });
    await page.getByText('repeatedly').waitFor();
    expect(await started(page, 'core')).toBeLessThan(6);
    await page.close();
  });
});

describe('a database worker that cannot start', () => {
  it.each([
    ['its script is missing', '**/core-worker-*.js'],
    ['the core is missing', '**/core-*.bin'],
  ])('answers with an error and is started again by the next call: %s', async (_, pattern) => {
    const page = await newPage();
    await page.goto(new URL('icon.svg', built.url).href);
    await page.evaluate(async () => {
      for (const name of await caches.keys()) await caches.delete(name);
    });
    // As after an update of the page, or without a network.
    await page.route(pattern, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(testAddress(built.url, '?database=unloadable.db&no-model#/stats'));
    await page.waitForFunction(() => 'limbic' in window);
    const answer = await page.evaluate(() => window.limbic.call('explore_stats', {}));
    expect(answer).toMatchObject({ ok: false, error: { code: 'part_unreachable' } });
    const parts = [page.getByRole('contentinfo', { name: 'Status' }), page.getByRole('main')];
    for (const part of parts) await part.getByText('A part of the page could not be loaded').waitFor();
    await page.unroute(pattern);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction(() => window.limbic.status.get().connection === 'ready');
    expect(await names(page)).toEqual([]);
    await page.close();
  });
});

it('a layout whose worker cannot be loaded is reported', async () => {
  const page = await newPage();
  await page.route('**/layout-worker-*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await open(page, built.url, '?memory#/graph');
  await ask(page, 'create_entities', { entities: [{ name: 'Ada' }, { name: 'Grace' }] });
  await ask(page, 'create_relations', { relations: [{ from: 'Ada', to: 'Grace', relationType: 'knows' }] });
  await page.getByText('The graph is not laid out').waitFor();
  await page.close();
});

it('an encoder that is ended is reported and restarted', async () => {
  const page = await newPage();
  await page.goto(testAddress(built.url, '?database=ended-encoder.db'));
  await up(page);
  const ready = page.getByText('Semantic search');
  await ready.waitFor({ timeout: MODEL_MILLIS });
  await end(page, 'encoder');
  await page.getByText('The browser ended the encoder').waitFor();
  await ready.waitFor({ timeout: MODEL_MILLIS });
  expect(await started(page, 'encoder')).toBe(2);
  await ask(page, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
  await page.waitForFunction(
    async () => {
      const answer = await window.limbic.call('explore_stats', {});
      return answer.ok && answer.value.queue.waiting === 0 && (answer.value.vectors.observations ?? 0) > 0;
    },
    undefined,
    { timeout: MODEL_MILLIS },
  );
  await page.close();
});
