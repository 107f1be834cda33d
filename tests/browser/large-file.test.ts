/** Sparse files of a gigabyte, which take no space on the disk. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, chooseFile, dropFile, exportedBytes, names } from './support/memory.ts';
import { temporaryFolder } from './support/places.ts';

const GIGABYTE = 1_000_000_000;
const GIBIBYTE = 2 ** 30;
const MAX_MILLIS = 120_000;

const built = builtPage();

async function tab(database: string): Promise<Page> {
  const page = await built.tab(`?database=${database}`);
  await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
  return page;
}

function sparseFile(name: string, head: Buffer, bytes: number): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, head);
  truncateSync(path, bytes);
  return path;
}

async function closed(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Close' }).click();
}

describe('a file of a gigabyte', () => {
  it('that is too large for a browser is rejected, with a hint which program opens it', async () => {
    const page = await tab('over.db');
    const head = await exportedBytes(page);
    await dropFile(page, 'over.db', head, GIBIBYTE + 4096);
    const dialog = page.getByRole('dialog', { name: 'Not imported' });
    await dialog.getByText('limbic-memory --ui').waitFor();
    await closed(dialog);
    expect(await names(page)).toEqual(['Ada']);
    await page.close();
  });

  it(
    'that is a database is taken',
    async () => {
      const page = await tab('gigabyte.db');
      const file = sparseFile('memory.db', await exportedBytes(page), GIGABYTE);
      await ask(page, 'create_entities', { entities: [{ name: 'to be replaced' }] });
      await chooseFile(page, file);
      await page.getByRole('button', { name: 'Replace' }).click();
      const dialog = page.getByRole('dialog', { name: 'Imported' });
      await dialog.waitFor({ timeout: MAX_MILLIS });
      await closed(dialog);
      expect(await names(page)).toEqual(['Ada']);
      await page.close();
    },
    MAX_MILLIS,
  );

  it(
    'that is nothing of ours is refused, and the page goes on',
    async () => {
      const page = await tab('nothing.db');
      await chooseFile(page, sparseFile('nothing.bin', Buffer.from('nothing'), GIGABYTE));
      const dialog = page.getByRole('dialog', { name: 'Not imported' });
      await dialog.getByText('source_unknown').waitFor({ timeout: MAX_MILLIS });
      await closed(dialog);
      expect(await names(page)).toEqual(['Ada']);
      await page.close();
    },
    MAX_MILLIS,
  );
});
