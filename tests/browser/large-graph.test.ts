import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch } from './support/browser.ts';
import { fillLarge } from './support/large-memory.ts';
import { open } from './support/memory.ts';
import { OUT, PAGE } from './support/places.ts';
import { serveFolders, type StaticServer } from './support/static-server.ts';

const ENTITIES = 10_000;
const RELATIONS = 30_000;
const MEASURED_MILLIS = 3000;

let server: StaticServer;
let browser: BrowserContext;

beforeAll(async () => {
  server = await serveFolders({ '/': PAGE });
  browser = await launch({ viewport: { width: 1440, height: 900 } });
});
afterAll(async () => {
  await browser.close();
  await server.end();
});

it(`draws ${ENTITIES} entities and ${RELATIONS} relations`, async () => {
  const page = await browser.newPage();
  await open(page, server.url, '?memory');
  const fillMillis = await millisOf(() => fillLarge(page, ENTITIES, RELATIONS));
  const drawMillis = await millisOf(async () => {
    await page.evaluate(() => void (location.hash = '#/graph?most=20000'));
    await page.getByText('10,000 entities, 30,000 links').waitFor({ timeout: 30_000 });
  });
  const restMillis = await millisOf(() => page.getByText('arranging…').waitFor({ state: 'hidden', timeout: 30_000 }));
  console.log(`  stored in ${seconds(fillMillis)}, drawn after ${seconds(drawMillis)}, at rest after another ${seconds(restMillis)}`);
  await page.screenshot({ path: join(OUT, 'large-graph.png') });
  // A corner without a node: a node would be dragged.
  await page.mouse.move(230, 90);
  await page.mouse.down();
  console.log(`  panning: ${(await framesPerSecond(page, (step) => page.mouse.move(380 + 150 * Math.sin(step / 6), 190 + 100 * Math.cos(step / 6)))).toFixed(0)} frames a second`);
  await page.screenshot({ path: join(OUT, 'large-graph-moving.png') });
  await page.mouse.up();
  console.log(`  zooming: ${(await framesPerSecond(page, (step) => page.mouse.wheel(0, step % 40 < 20 ? -60 : 60))).toFixed(0)} frames a second`);
  console.log(`  pointing: ${(await framesPerSecond(page, (step) => page.mouse.move(500 + ((step * 37) % 500), 300 + ((step * 23) % 300)))).toFixed(0)} frames a second`);
  expect(sizeOfPicture(await page.locator('canvas').first().screenshot())).toBeGreaterThan(20_000);
}, 120_000);

/** A picture of one colour packs into a few thousand bytes. */
function sizeOfPicture(png: Buffer): number {
  return png.length;
}

async function millisOf(work: () => Promise<unknown>): Promise<number> {
  const startMillis = performance.now();
  await work();
  return performance.now() - startMillis;
}

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`;

/** How often the page draws while something moves. */
async function framesPerSecond(page: Page, move: (step: number) => Promise<void>): Promise<number> {
  const counting = page.evaluate(
    (millis) =>
      new Promise<number>((resolve) => {
        const startMillis = performance.now();
        let frames = 0;
        const tick = (): void => {
          const passedMillis = performance.now() - startMillis;
          if (passedMillis > millis) resolve((frames * 1000) / passedMillis);
          else {
            frames += 1;
            requestAnimationFrame(tick);
          }
        };
        requestAnimationFrame(tick);
      }),
    MEASURED_MILLIS,
  );
  let isOver = false;
  void counting.finally(() => {
    isOver = true;
  });
  for (let step = 0; !isOver; step += 1) {
    await move(step);
    await page.waitForTimeout(8);
  }
  return counting;
}
