import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { fillLarge } from './support/large-memory.ts';
import { OUT } from './support/places.ts';

const ENTITIES = 10_000;
const RELATIONS = 30_000;
const MEASURED_MILLIS = 3000;
/** A picture waits for a frame, which takes seconds where the processor draws and other tests run. */
const PICTURE = { timeout: 60_000 };
/** Minimum share of the frame rate of panning. Redrawing everything for each step of a node gives a tenth. */
const MIN_DRAGGING_PART = 1 / 3;
/** How often dragging is measured until it has that part. */
const ATTEMPTS = 4;

const built = builtPage({ viewport: { width: 1440, height: 900 } });

it(`draws ${ENTITIES} entities and ${RELATIONS} relations`, async () => {
  const page = await built.tab('?memory');
  const fillMillis = await millisOf(() => fillLarge(page, ENTITIES, RELATIONS));
  const drawMillis = await millisOf(async () => {
    await page.evaluate(() => void (location.hash = '#/graph?most=20000'));
    await page.getByText('10,000 entities, 30,000 links').waitFor({ timeout: 30_000 });
  });
  const restMillis = await millisOf(() =>
    page.getByText('running layout…').waitFor({ state: 'hidden', timeout: 30_000 }),
  );
  console.log(
    `  stored in ${seconds(fillMillis)}, drawn after ${seconds(drawMillis)}, at rest after another ${seconds(restMillis)}`,
  );
  expect(sizeOfPicture(await page.locator('canvas').first().screenshot(PICTURE))).toBeGreaterThan(20_000);
  await page.screenshot({ ...PICTURE, path: join(OUT, 'large-graph.png') });
  // A corner without a node: a node would be dragged.
  await page.mouse.move(230, 90);
  await page.mouse.down();
  const panning = await framesPerSecond(page, (step) =>
    page.mouse.move(380 + 150 * Math.sin(step / 6), 190 + 100 * Math.cos(step / 6)),
  );
  console.log(`  panning: ${panning.toFixed(0)} frames a second`);
  await page.screenshot({ ...PICTURE, path: join(OUT, 'large-graph-moving.png') });
  await page.mouse.up();
  const [x, y] = await nodeIn(page);
  await page.mouse.down();
  let dragging = 0;
  // Other programs may take the processor for seconds.
  for (let attempt = 0; attempt < ATTEMPTS && dragging <= panning * MIN_DRAGGING_PART; attempt++) {
    dragging = await framesPerSecond(page, (step) =>
      page.mouse.move(x + 150 * Math.sin(step / 20), y + 100 * Math.sin(step / 33)),
    );
  }
  await page.screenshot({ ...PICTURE, path: join(OUT, 'large-graph-dragging.png') });
  await page.mouse.up();
  console.log(`  dragging a node: ${dragging.toFixed(0)} frames a second`);
  expect(dragging).toBeGreaterThan(panning * MIN_DRAGGING_PART);
  console.log(
    `  zooming: ${(await framesPerSecond(page, (step) => page.mouse.wheel(0, step % 40 < 20 ? -60 : 60))).toFixed(0)} frames a second`,
  );
  console.log(
    `  pointing: ${(await framesPerSecond(page, (step) => page.mouse.move(500 + ((step * 37) % 500), 300 + ((step * 23) % 300)))).toFixed(0)} frames a second`,
  );
}, 300_000);

/** A point on a node: pointing at a node dims the others. */
async function nodeIn(page: Page): Promise<readonly [number, number]> {
  for (let y = 300; y < 600; y += 5) {
    for (let x = 700; x < 900; x += 4) {
      await page.mouse.move(x, y);
      if (await page.evaluate(() => document.querySelector<HTMLElement>('canvas.sigma-edges')?.style.opacity !== ''))
        return [x, y];
    }
  }
  throw new Error('there is no node in the middle of the picture');
}

/** The size of a screenshot: one of a single colour has a few thousand bytes. */
function sizeOfPicture(png: Buffer): number {
  return png.length;
}

async function millisOf(work: () => Promise<unknown>): Promise<number> {
  const startMillis = performance.now();
  await work();
  return performance.now() - startMillis;
}

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`;

/** The frame rate of the page during an action. */
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
