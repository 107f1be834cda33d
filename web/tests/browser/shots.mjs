/**
 * Pictures of views, light and dark, for looking at: `node shots.mjs FOLDER OUT [WIDTHxHEIGHT,...] ROUTE...`
 *
 * A route may have a search part: `?nodes=300#/graph`. What the page says in its console is printed.
 */
import { mkdirSync } from 'node:fs';
import { launch } from './browser.mjs';
import { serve } from './static-server.mjs';

const [folder, out, sizes, ...routes] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const server = await serve(folder, '/some/where/');
const browser = await launch();
for (const size of sizes.split(',')) {
  const [width, height] = size.split('x').map(Number);
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    page.on('console', (message) => message.type() === 'error' || message.type() === 'warning' ? console.log(`[${message.type()}] ${message.text()}`) : undefined);
    page.on('pageerror', (error) => console.log(`[page] ${error.stack}`));
    for (const route of routes) {
      await page.goto('about:blank');
      await page.goto(`${server.url}${route}`);
      await page.waitForTimeout(Number(process.env.WAIT ?? 2500));
      const name = `${route.replace(/[^a-z0-9]+/gi, '-').slice(0, 40)}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: `${out}/${name}` });
      console.log(name);
    }
    await page.close();
  }
}
await browser.close();
server.end();
