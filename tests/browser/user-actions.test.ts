/** Actions of a person: import and export of files, pictures, deletion and undo. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Input, Output } from '../../web/src/source/tools.ts';
import { boxOf } from './support/browser.ts';
import { builtPage } from './support/built-page.ts';
import { ask, chooseItem, dropFile, dropFiles, exportedBytes, names } from './support/memory.ts';
import { ROOT } from './support/places.ts';
import { inWalMode, walOf } from './support/wal.ts';

const JSONL = join(ROOT, 'tests/files/reference.jsonl');

const built = builtPage();

const tab = (database: string, hash = ''): Promise<Page> => built.tab(`?database=${database}${hash}`);

async function contentOf(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

describe('a file', () => {
  it('is imported by drag and drop', async () => {
    const page = await tab('drop.db');
    await dropFile(page, 'reference.jsonl', readFileSync(JSONL));
    const dialog = page.getByRole('dialog', { name: 'Imported' });
    await dialog.getByText('From “reference.jsonl”').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect((await names(page)).length).toBeGreaterThan(1);
    await page.close();
  });

  it('is imported with the button of the empty memory', async () => {
    const page = await tab('button.db', '#/graph');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import files…' }).click();
    await (await chooser).setFiles(JSONL);
    await page.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Close' }).click();
    // The view shows the imported records without a reload.
    await page.getByRole('application', { name: /^Graph of/ }).waitFor();
    await page.close();
  });

  it('of an unknown format is rejected with an error, and nothing changes', async () => {
    const page = await tab('nonsense.db');
    await dropFile(page, 'holiday.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]));
    const dialog = page.getByRole('dialog', { name: 'Not imported' });
    await dialog.getByText('holiday.jpg').first().waitFor();
    expect(await names(page)).toEqual([]);
    await page.close();
  });

  it('is exported by the menu, and replaces another memory only on confirmation', async () => {
    const page = await tab('out.db');
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas', observations: ['goes out'] }] });
    const saved = page.waitForEvent('download');
    await chooseItem(page, 'Export database');
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^limbic-\d{4}-\d{2}-\d{2}\.db$/);
    const bytes = await contentOf(download);
    expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3');
    const other = await tab('in.db');
    await ask(other, 'create_entities', { entities: [{ name: 'was here' }] });
    const question = other.getByRole('alertdialog', { name: 'Replace the whole memory?' });
    await dropFile(other, 'memory.db', bytes);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await names(other)).toEqual(['was here']);
    await dropFile(other, 'memory.db', bytes);
    await question.getByRole('button', { name: 'Replace' }).click();
    await other.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Close' }).click();
    expect(await names(other)).toEqual(['Atlas']);
    await Promise.all([page.close(), other.close()]);
  });

  it.each<[string, (page: Page) => Promise<unknown>]>([
    ['memories', (page) => ask(page, 'memory_store', { id: 'kept', content: 'Deploys go out on Tuesdays' })],
    ['a domain', (page) => ask(page, 'create_domain', { id: 'kept' })],
    [
      'audit lines of deleted memories',
      async (page) => {
        await ask(page, 'memory_store', { id: 'gone', content: 'The old office is in Lisbon' });
        await ask(page, 'memory_forget', { id: 'gone' });
      },
    ],
  ])('that is a database does not replace a memory with only %s without confirmation', async (what, fill) => {
    const bytes = await limbicDatabase();
    const page = await tab(`only-${what.replaceAll(' ', '-')}.db`);
    await fill(page);
    await dropFile(page, 'memory.db', bytes);
    await page
      .getByRole('alertdialog', { name: 'Replace the whole memory?' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    expect(await names(page)).toEqual([]);
    await page.close();
  });

  it('that replaced a memory can be undone and redone, from the dialog and from the menu', async () => {
    const bytes = await limbicDatabase();
    const page = await tab('replaced.db');
    await ask(page, 'memory_store', { id: 'kept', content: 'Deploys go out on Tuesdays' });
    const content = async (): Promise<unknown> => [
      await names(page),
      ((await ask(page, 'explore_records', { kind: 'memories' })).rows as { id: string }[]).map(({ id }) => id),
    ];
    await dropFile(page, 'memory.db', bytes);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Imported' });
    await dialog.getByText('Replaced the memory with “memory.db”: 1 entity, 1 domain.').waitFor();
    expect(await content()).toEqual([['Atlas'], []]);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: import of memory.db').waitFor();
    expect(await content()).toEqual([[], ['kept']]);
    for (const [action, left] of [
      ['Redo', [['Atlas'], []]],
      ['Undo', [[], ['kept']]],
    ] as const) {
      await chooseItem(page, `${action} import of memory.db…`);
      await page
        .getByRole('alertdialog', { name: `${action} the import of memory.db?` })
        .getByRole('button', { name: action })
        .click();
      await expect.poll(content).toEqual(left);
    }
    await page.close();
  });

  it('that was added can be undone', async () => {
    const page = await tab('added.db');
    await ask(page, 'create_entities', { entities: [{ name: 'was here' }] });
    await dropFile(page, 'reference.jsonl', readFileSync(JSONL));
    await page.getByRole('dialog', { name: 'Imported' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(page)).toEqual(['was here']);
    await page.close();
  });
});

describe('a database in WAL mode', () => {
  it('is rejected without its -wal file, with options to continue', async () => {
    const bytes = inWalMode(await limbicDatabase());
    const page = await tab('wal.db');
    await dropFile(page, 'memory.db', bytes);
    const refused = page.getByRole('dialog', { name: 'Not imported' });
    await refused.getByText('Select or drop “memory.db” and “memory.db-wal” together.').waitFor();
    expect(await names(page)).toEqual([]);
    await refused.getByRole('button', { name: 'Import without a -wal file' }).click();
    await page.getByRole('dialog', { name: 'Imported' }).waitFor();
    expect(await names(page)).toEqual(['Atlas']);
    await page.close();
  });

  it('is imported with the content of its -wal file', async () => {
    const source = await tab('wal-source.db');
    await ask(source, 'create_entities', { entities: [{ name: 'Atlas' }] });
    const before = await exportedBytes(source);
    await ask(source, 'memory_store', { id: 'late', content: 'Deploys go out on Tuesdays' });
    const after = await exportedBytes(source);
    await source.close();
    const page = await tab('wal-both.db');
    await dropFiles(page, [
      { name: 'memory.db', head: inWalMode(before) },
      { name: 'memory.db-wal', head: walOf(before, after) },
    ]);
    await page.getByRole('dialog', { name: 'Imported' }).waitFor();
    expect(await names(page)).toEqual(['Atlas']);
    expect((await ask(page, 'memory_get', { ids: ['late'] })).memories.map(({ content }) => content)).toEqual([
      'Deploys go out on Tuesdays',
    ]);
    await page.close();
  });

  it('is not imported from its -wal file alone, and other files are', async () => {
    const page = await tab('wal-alone.db');
    await dropFiles(page, [
      { name: 'memory.db-wal', head: Buffer.from('frames') },
      { name: 'reference.jsonl', head: readFileSync(JSONL) },
    ]);
    const dialog = page.getByRole('dialog', { name: 'Imported 1 of 2 files' });
    await dialog.getByText('“memory.db-wal” belongs to the database “memory.db”').waitFor();
    expect((await names(page)).length).toBeGreaterThan(1);
    await page.close();
  });
});

/** A database file with one entity. */
async function limbicDatabase(): Promise<Buffer> {
  const page = await tab('source.db');
  await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }] });
  const bytes = await exportedBytes(page);
  await page.close();
  return bytes;
}

describe('the graph', () => {
  it('is exported as PNG and SVG', async () => {
    const page = await tab('picture.db');
    const hostile = '<script>&"\'';
    await ask(page, 'create_entities', { entities: [{ name: 'Atlas' }, { name: hostile }] });
    await ask(page, 'create_relations', { relations: [{ from: 'Atlas', to: hostile, relationType: 'uses' }] });
    await page.evaluate(() => void (location.hash = '#/graph?focus=Atlas'));
    await page.getByText('2 entities, 1 link').waitFor();
    const save = async (item: string): Promise<Buffer> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export picture' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      return contentOf(await saved);
    };
    const png = await save('Export as PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // More than the background is drawn.
    expect(await colorsOf(page, png)).toBeGreaterThan(10);
    const svg = (await save('Export as SVG')).toString();
    const told = await page.evaluate((svg) => {
      const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml');
      const count = (name: string): number => drawing.getElementsByTagName(name).length;
      return {
        errors: count('parsererror'),
        circles: count('circle'),
        lines: count('line') + count('path'),
        texts: [...drawing.getElementsByTagName('text')].map(({ textContent }) => textContent),
      };
    }, svg);
    expect(told).toMatchObject({ errors: 0, circles: 2 });
    expect(told.lines).toBeGreaterThan(0);
    expect(told.texts.sort()).toEqual([hostile, 'Atlas'].sort());
    await page.close();
  });
});

it('the legend is below the graph, not over it', async () => {
  const page = await tab('legend.db');
  await ask(page, 'create_entities', {
    entities: Array.from({ length: 12 }, (_, index) => ({ name: `node ${index}`, entityType: `type ${index}` })),
  });
  await page.evaluate(() => void (location.hash = '#/graph?most=200'));
  await page.getByText('12 entities, 0 links').waitFor();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const canvas = await boxOf(page.getByRole('application'));
    const legend = await boxOf(page.getByText('type 0'));
    expect(canvas.y + canvas.height, `at a width of ${width} pixels`).toBeLessThanOrEqual(legend.y);
  }
  await page.close();
});

/**
 * Creates the entity Atlas with a superseded observation, a relation to Ines with a reflection on it, and an access.
 *
 * @returns what Undo must restore after a deletion.
 */
async function createAtlas(
  page: Page,
  relation: Input<'create_relations'>['relations'][number],
): Promise<ReturnType<typeof shapeOf>> {
  await ask(page, 'create_entities', {
    entities: [{ name: 'Atlas', entityType: 'Project', observations: ['one', 'two'] }, { name: 'Ines' }],
  });
  const { relations } = await ask(page, 'create_relations', { relations: [relation] });
  await ask(page, 'add_reflection', {
    target_type: 'relation',
    target_id: relations[0]?.id,
    content: 'They get along.',
    author: 'sofia',
  });
  await ask(page, 'search_semantic', { query: 'Atlas Ines' });
  const { observations } = await ask(page, 'explore_entity', { name: 'Atlas' });
  await ask(page, 'add_observations', {
    name: 'Atlas',
    observations: ['two, corrected'],
    supersedes: observations[1]?.id,
  });
  // Times are stored in seconds: records that Undo creates again would have another time.
  await page.waitForTimeout(1100);
  return shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }));
}

describe('undo of a deletion', () => {
  it('restores an entity with history, relations, dates and accesses', async () => {
    const page = await tab('undo.db');
    const before = await createAtlas(page, { from: 'Ines', to: 'Atlas', relationType: 'leads' });
    await page.evaluate(() => void (location.hash = '#/table?sel=entity:Atlas'));
    await page.getByRole('button', { name: 'Delete entity' }).click();
    await page.getByText('Deleted “Atlas”').waitFor();
    await page.getByText(/Overwritten in this browser’s storage: .* The journal was cut off/).waitFor();
    expect(await names(page)).toEqual(['Ines']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await names(page)).sort()).toEqual(['Atlas', 'Ines']);
    await expect.poll(async () => shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }))).toEqual(before);
    await page.close();
  });

  it('restores an observation and a relation with their dates', async () => {
    const page = await tab('undo-parts.db');
    const before = await createAtlas(page, { from: 'Atlas', to: 'Ines', relationType: 'led by' });
    await page.evaluate(() => void (location.hash = '#/table?sel=entity:Atlas'));
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector
      .getByRole('listitem')
      .filter({ hasText: 'two, corrected' })
      .getByRole('button', { name: 'Delete observation' })
      .click();
    await page.getByText('Deleted 1 observation').waitFor();
    await inspector.getByRole('button', { name: 'Delete relation' }).click();
    await page.getByText('Deleted 1 relation').waitFor();
    expect(shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }))).not.toEqual(before);
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(left);
    }
    // The entity itself has been changed meanwhile.
    const known = (shape: unknown): unknown => ({ ...(shape as object), entity: undefined });
    await expect
      .poll(async () => known(shapeOf(await ask(page, 'explore_entity', { name: 'Atlas' }))))
      .toEqual(known(before));
    await page.close();
  });
});

/** The state that undo restores: all but ids and computed values. */
function shapeOf({
  entity,
  observations,
  relations,
  reflections,
  access,
  found_together,
}: Output<'explore_entity'>): unknown {
  return {
    entity: [entity.entityType, entity.created_at, entity.updated_at],
    texts: observations.map(({ content, created_at, superseded_at, superseded_by }) => [
      content,
      created_at,
      superseded_at,
      superseded_by !== undefined,
    ]),
    relations: relations.map(({ from, to, relationType, created_at, weight }) => [
      from,
      relationType,
      to,
      created_at,
      weight,
    ]),
    reflections: reflections.map(({ target, content, author, created_at }) => [target, content, author, created_at]),
    use: [access, found_together.map(({ name, count, last }) => [name, count, last])],
  };
}

/** The number of colours of a picture. */
function colorsOf(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context?.drawImage(picture, 0, 0);
    return new Set(
      new Uint32Array(context?.getImageData(0, 0, picture.width, picture.height).data.buffer ?? new ArrayBuffer(0)),
    ).size;
  }, png.toString('base64'));
}
