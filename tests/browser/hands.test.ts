/** What a person does by hand: files in and out, pictures, deleting and taking it back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './support/browser.ts';
import { ask, names, open } from './support/memory.ts';
import { PAGE, ROOT } from './support/places.ts';
import { serveFolders, type StaticServer } from './support/static-server.ts';

const JSONL = join(ROOT, 'tests/files/reference.jsonl');

let server: StaticServer;
let browser: BrowserContext;

beforeAll(async () => {
  server = await serveFolders({ '/some/where/': PAGE });
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await server.end();
});

async function tab(database: string, hash = ''): Promise<Page> {
  const page = await browser.newPage();
  await open(page, server.url, `?database=${database}${hash}`);
  return page;
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

/** Drops a file on the page, as a file manager does. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const data = await page.evaluateHandle(
    ({ name, text }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
      return transfer;
    },
    { name, text: bytes.toString('base64') },
  );
  const body = page.locator('body');
  await body.dispatchEvent('dragenter', { dataTransfer: data });
  await page.getByText('Drop a memory').waitFor();
  await body.dispatchEvent('dragover', { dataTransfer: data });
  await body.dispatchEvent('drop', { dataTransfer: data });
}

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Memory: import, save, sample, tour' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('a file', () => {
  it('comes in by dropping it', async () => {
    const page = await tab('drop.db');
    await drop(page, 'reference.jsonl', readFileSync(JSONL));
    const dialog = page.getByRole('dialog', { name: 'Imported' });
    await dialog.getByText('From “reference.jsonl”').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect((await names(page)).length).toBeGreaterThan(1);
    await page.close();
  });

  it('comes in by the button of the empty memory', async () => {
    const page = await tab('button.db', '#/graph');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a file…' }).click();
    await (await chooser).setFiles(JSONL);
    await page.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Close' }).click();
    // The view shows what came without being told.
    await page.getByRole('heading', { name: 'Where do you want to begin?' }).waitFor();
    await page.close();
  });

  it('that is none of ours is refused in so many words, and nothing changes', async () => {
    const page = await tab('nonsense.db');
    await drop(page, 'holiday.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]));
    const dialog = page.getByRole('dialog', { name: 'Not imported' });
    await dialog.getByText('holiday.jpg').first().waitFor();
    expect(await names(page)).toEqual([]);
    await page.close();
  });

  it('goes out by the menu, and takes the place of another memory only when the person agrees', async () => {
    const page = await tab('out.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas', observations: ['goes out'] }] });
    const saved = page.waitForEvent('download');
    await choose(page, 'Save the database');
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^limbic-\d{4}-\d{2}-\d{2}\.db$/);
    const bytes = await contentOf(download);
    expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3');
    const other = await tab('in.db');
    await ask(other, 'create_entities', { entities: [{ name: 'was here' }] });
    const question = other.getByRole('alertdialog', { name: 'Replace the whole memory?' });
    await drop(other, 'memory.db', bytes);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await names(other)).toEqual(['was here']);
    await drop(other, 'memory.db', bytes);
    await question.getByRole('button', { name: 'Replace' }).click();
    await other.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Close' }).click();
    expect(await names(other)).toEqual(['Atlas']);
    await Promise.all([page.close(), other.close()]);
  });
});

describe('the graph', () => {
  it('is saved as a picture and as a drawing', async () => {
    const page = await tab('picture.db');
    const hostile = '<script>&"\'';
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }, { name: hostile }] });
    await ask(page, 'create_relations', { relations: [{ from: 'Atlas', to: hostile, relationType: 'uses' }] });
    await page.evaluate(() => void (location.hash = '#/graph?focus=Atlas'));
    await page.getByText('2 entities, 1 link').waitFor();
    const save = async (item: string): Promise<Buffer> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save the picture' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      return contentOf(await saved);
    };
    const png = await save('Save as PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // More than the ground is drawn.
    expect(await colorsOf(page, png)).toBeGreaterThan(10);
    const svg = (await save('Save as SVG')).toString();
    const told = await page.evaluate((svg) => {
      const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml');
      const count = (name: string): number => drawing.getElementsByTagName(name).length;
      return { errors: count('parsererror'), circles: count('circle'), lines: count('line') + count('path'), texts: [...drawing.getElementsByTagName('text')].map(({ textContent }) => textContent) };
    }, svg);
    expect(told).toMatchObject({ errors: 0, circles: 2 });
    expect(told.lines).toBeGreaterThan(0);
    expect(told.texts.sort()).toEqual([hostile, 'Atlas'].sort());
    await page.close();
  });
});

describe('what was deleted', () => {
  it('comes back with its history and its relations', async () => {
    const page = await tab('undo.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas', entityType: 'Project', observations: ['one', 'two'] }, { name: 'Ines' }] });
    await ask(page, 'create_relations', { relations: [{ from: 'Ines', to: 'Atlas', relationType: 'leads' }] });
    const { observations } = await ask(page, 'explore_entity', { name: 'Atlas' });
    await ask(page, 'add_observations', { name: 'Atlas', observations: ['two, corrected'], supersedes: observations[1]?.id });
    const before = shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }));
    await page.evaluate(() => void (location.hash = '#/table?sel=entity:Atlas'));
    await page.getByRole('button', { name: 'Delete the entity' }).click();
    await page.getByText('Deleted “Atlas”').waitFor();
    expect(await names(page)).toEqual(['Ines']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await names(page)).sort()).toEqual(['Atlas', 'Ines']);
    await expect.poll(async () => shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }))).toEqual(before);
    await page.close();
  });
});

interface Whole {
  readonly entity: { readonly entityType: string };
  readonly observations: readonly { readonly content: string; readonly superseded_at?: string }[];
  readonly relations: readonly { readonly from: string; readonly to: string; readonly relationType: string }[];
}

/** What must come back; ids and times are others. */
function shapeOf({ entity, observations, relations }: Whole): unknown {
  return {
    type: entity.entityType,
    texts: observations.map(({ content, superseded_at }) => [content, superseded_at !== undefined]),
    relations: relations.map(({ from, to, relationType }) => [from, relationType, to]),
  };
}

/** How many colours a picture has. */
function colorsOf(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context?.drawImage(picture, 0, 0);
    return new Set(new Uint32Array(context?.getImageData(0, 0, picture.width, picture.height).data.buffer ?? new ArrayBuffer(0))).size;
  }, png.toString('base64'));
}
