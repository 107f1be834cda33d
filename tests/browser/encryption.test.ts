/** Encryption of the database in the browser's storage. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { ask, call, exportedBytes, isSound, names, testAddress } from './support/memory.ts';
import { screenshotFolder } from './support/places.ts';

const built = builtPage();
const shots = screenshotFolder('encryption');

/** Text that is in the storage only while the database is not encrypted. */
const SECRET = 'quelxomandril';

const tab = (database: string, view = ''): Promise<Page> => built.tab(`?database=${database}${view}`);

/** A page of the same origin that does not open the database. */
const observer = (): Promise<Page> => built.tab('?memory');

/** Shows the address of a database that may be locked. */
async function visit(page: Page, database: string): Promise<void> {
  await page.goto(testAddress(built.url, `?database=${database}&no-model`));
  await page.waitForFunction(() => 'limbic' in window);
}

/** The files of a database in the browser's storage: how often they contain a text, and their content in short. */
function stored(page: Page, database: string, text: string): Promise<{ traces: number; digest: string }> {
  return page.evaluate(
    async ({ folder, text }) => {
      let all = '';
      const read = async (directory: FileSystemDirectoryHandle): Promise<void> => {
        for await (const entry of directory.values()) {
          if (entry.kind === 'directory') await read(entry as FileSystemDirectoryHandle);
          else
            all += new TextDecoder('latin1').decode(
              await (await (entry as FileSystemFileHandle).getFile()).arrayBuffer(),
            );
        }
      };
      await read(await (await navigator.storage.getDirectory()).getDirectoryHandle(folder));
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(all));
      return { traces: all.split(text).length - 1, digest: Array.from(new Uint8Array(digest)).join(' ') };
    },
    { folder: `limbic-${database}`, text },
  );
}

/** Closes a page, and waits until its worker has released the database. */
async function end(page: Page, database: string): Promise<void> {
  await page.close();
  const next = await observer();
  await next.evaluate((name) => navigator.locks.request(name, () => {}), `limbic:${database}`);
  await next.close();
}

async function newPhrase(page: Page): Promise<string> {
  const phrase = await page.evaluate(() => window.limbic.encryption?.newPhrase());
  if (phrase?.ok !== true) throw new Error(phrase?.text);
  return phrase.value;
}

/** Encrypts the memory of a page. Returns the recovery phrase. */
async function encrypt(page: Page): Promise<string> {
  const phrase = await newPhrase(page);
  const answer = await page.evaluate((phrase) => window.limbic.encryption?.encrypt(phrase), phrase);
  expect(answer).toMatchObject({ ok: true });
  return phrase;
}

const isEncrypted = (page: Page): Promise<boolean | undefined> =>
  page.evaluate(() => window.limbic.status.get().isEncrypted);

const remember = (page: Page): Promise<unknown> =>
  ask(page, 'create_entities', { entities: [{ name: SECRET, observations: [`${SECRET} likes tea`] }] });

/** Whether this browser has a key for a database. */
const hasKey = (page: Page, database: string): Promise<boolean> =>
  page.evaluate(
    (database) =>
      new Promise<boolean>((resolve, reject) => {
        const opening = indexedDB.open('limbic-keys', 1);
        opening.onerror = () => reject(opening.error);
        opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
        opening.onsuccess = () => {
          const request = opening.result.transaction('keys').objectStore('keys').count(database);
          request.onsuccess = () => {
            opening.result.close();
            resolve(request.result > 0);
          };
        };
      }),
    database,
  );

describe('the encryption of the database in the browser', () => {
  it('is offered in the settings, and leaves none of the texts in the storage', async () => {
    const page = await tab('enc.db', '#/settings');
    const other = await tab('enc.db');
    await remember(page);
    const footer = page.getByRole('contentinfo', { name: 'Status' });
    await footer.getByText('Not encrypted').waitFor();
    const reader = await observer();
    expect((await stored(reader, 'enc.db', SECRET)).traces).toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Encrypt…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Encrypt the memory' });
    const phrase = await dialog.getByLabel('Recovery phrase', { exact: true }).innerText();
    expect(phrase).toMatch(/^(?:\w{4}-){13}\w{4}$/);
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: join(shots, 'phrase.png') });
    // Neither a click beside the dialog nor Escape loses the phrase.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Encrypt' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'I have kept' }).check();
    await dialog.getByRole('button', { name: 'Encrypt' }).click();
    await dialog.waitFor({ state: 'detached' });
    await footer.getByText('Encrypted', { exact: true }).waitFor();
    await other.getByRole('contentinfo', { name: 'Status' }).getByText('Encrypted', { exact: true }).waitFor();
    await page.screenshot({ path: join(shots, 'encrypted.png') });
    await ask(other, 'create_entities', { entities: [{ name: `${SECRET} again` }] });
    for (const text of [SECRET, 'SQLite format']) expect((await stored(reader, 'enc.db', text)).traces, text).toBe(0);

    await page.close();
    expect(await names(other)).toEqual([SECRET, `${SECRET} again`]);
    await end(other, 'enc.db');
    const next = await tab('enc.db');
    expect(await names(next)).toEqual([SECRET, `${SECRET} again`]);
    expect(await isEncrypted(next)).toBe(true);
    expect(await isSound(next)).toBe(true);
    expect((await stored(reader, 'enc.db', SECRET)).traces).toBe(0);
    await Promise.all([next.close(), reader.close()]);
  });

  it('asks for the recovery phrase when the key of the browser is lost', async () => {
    const first = await tab('lost.db');
    await remember(first);
    const phrase = await encrypt(first);
    const other = await newPhrase(first);
    await end(first, 'lost.db');
    const reader = await observer();
    expect(await hasKey(reader, 'lost.db')).toBe(true);
    await reader.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const deleting = indexedDB.deleteDatabase('limbic-keys');
          deleting.onsuccess = resolve;
          deleting.onerror = reject;
          deleting.onblocked = reject;
        }),
    );
    const before = await stored(reader, 'lost.db', SECRET);

    const page = await built.newPage();
    await visit(page, 'lost.db');
    const dialog = page.getByRole('dialog', { name: 'The memory is locked' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: join(shots, 'locked.png') });
    expect(await call(page, 'explore_stats', {})).toMatchObject({ ok: false, error: { code: 'database_locked' } });
    for (const [text, message] of [
      ['my dog', 'recovery phrase (14 groups of 4 characters)'],
      [other, 'This recovery phrase does not open the database. Nothing was changed.'],
    ] as const) {
      await dialog.getByRole('textbox', { name: 'Recovery phrase' }).fill(text);
      await dialog.getByRole('button', { name: 'Unlock' }).click();
      await dialog.getByText(message).waitFor();
    }
    expect(await stored(reader, 'lost.db', SECRET)).toEqual(before);
    expect(await hasKey(reader, 'lost.db')).toBe(false);
    // As a person writes it.
    await dialog.getByRole('textbox', { name: 'Recovery phrase' }).fill(phrase.toLowerCase().replaceAll('-', ' '));
    await dialog.getByRole('button', { name: 'Unlock' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await names(page)).toEqual([SECRET]);
    await page.getByRole('contentinfo', { name: 'Status' }).getByText('Encrypted', { exact: true }).waitFor();
    await end(page, 'lost.db');
    const next = await tab('lost.db');
    expect(await names(next)).toEqual([SECRET]);
    await Promise.all([next.close(), reader.close()]);
  });

  it('does not take the key of another database', async () => {
    const [first, second] = [await tab('one.db'), await tab('two.db')];
    await remember(first);
    await encrypt(first);
    await encrypt(second);
    await end(second, 'two.db');
    await end(first, 'one.db');
    const reader = await observer();
    await reader.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('limbic-keys', 1);
          opening.onerror = reject;
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('keys', 'readwrite');
            const keys = transaction.objectStore('keys');
            const request = keys.get('two.db');
            request.onsuccess = () => keys.put(request.result, 'one.db');
            transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        }),
    );
    const page = await built.newPage();
    await visit(page, 'one.db');
    await page.getByRole('dialog', { name: 'The memory is locked' }).waitFor();
    await Promise.all([page.close(), reader.close()]);
  });

  it('is undone', async () => {
    const page = await tab('undone.db', '#/settings');
    await remember(page);
    await encrypt(page);
    await page.getByRole('button', { name: 'Decrypt…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Decrypt' }).click();
    await page.getByRole('contentinfo', { name: 'Status' }).getByText('Not encrypted').waitFor();
    expect(await names(page)).toEqual([SECRET]);
    expect(await isSound(page)).toBe(true);
    await end(page, 'undone.db');
    const reader = await observer();
    expect((await stored(reader, 'undone.db', SECRET)).traces).toBeGreaterThan(0);
    expect((await stored(reader, 'undone.db', '-encrypted')).traces).toBe(0);
    expect(await hasKey(reader, 'undone.db')).toBe(false);
    // Again, over what the first time has left.
    const next = await tab('undone.db');
    expect(await names(next)).toEqual([SECRET]);
    await encrypt(next);
    await end(next, 'undone.db');
    expect((await stored(reader, 'undone.db', SECRET)).traces).toBe(0);
    const last = await tab('undone.db');
    expect(await names(last)).toEqual([SECRET]);
    await Promise.all([last.close(), reader.close()]);
  });

  it('leaves import, export and undo of an import as they are', async () => {
    const plain = await tab('plain.db');
    await ask(plain, 'create_entities', { entities: [{ name: `${SECRET} of a file` }] });
    const file = (await exportedBytes(plain)).toString('base64');
    const page = await tab('import-export.db');
    await remember(page);
    await encrypt(page);
    const exported = await exportedBytes(page);
    expect(exported.subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(exported.includes(SECRET)).toBe(true);
    const kept = await page.evaluate(async (file) => {
      const bytes = Uint8Array.from(atob(file), (character) => character.charCodeAt(0));
      const options = { replaces: true, keepsPrevious: true };
      const answer = await window.limbic.importFile?.(new File([bytes], 'memory.db'), options);
      const { rows } = JSON.parse((await window.limbic.call('explore_records', { kind: 'entities' })).text) as {
        rows: { name: string }[];
      };
      const previous = answer?.previous;
      if (previous === undefined) throw new Error(answer?.text);
      await window.limbic.importFile?.(new File([previous], 'memory.db'), { replaces: true });
      return rows.map(({ name }) => name);
    }, file);
    expect(kept).toEqual([`${SECRET} of a file`]);
    expect(await names(page)).toEqual([SECRET]);
    const reader = await observer();
    expect((await stored(reader, 'import-export.db', SECRET)).traces).toBe(0);
    expect(await isEncrypted(page)).toBe(true);
    await Promise.all([plain.close(), page.close(), reader.close()]);
  });

  it('leaves a whole database when its tab is killed', async () => {
    const ends: string[] = [];
    let page = await tab('killed.db');
    const entities = Array.from({ length: 400 }, (_, index) => ({
      name: `entity ${index}`,
      observations: [`${SECRET} ${index} `.repeat(60)],
    }));
    await ask(page, 'create_entities', { entities });
    const beginMillis = performance.now();
    await encrypt(page);
    const wholeMillis = performance.now() - beginMillis;
    // Parts of the time that a whole conversion takes here.
    for (const part of [0, 0.3, 0.6, 0.9, 1.2]) {
      const before = await isEncrypted(page);
      const phrase = await newPhrase(page);
      const session = await built.browser.newCDPSession(page);
      const crashed = new Promise((resolve) => page.once('crash', resolve));
      await page.evaluate(
        ({ phrase, before }) => {
          void (before === true ? window.limbic.encryption?.decrypt() : window.limbic.encryption?.encrypt(phrase));
        },
        { phrase, before },
      );
      await new Promise((resolve) => setTimeout(resolve, part * wholeMillis));
      void session.send('Page.crash').catch(() => {});
      await crashed;
      await page.close();
      page = await tab('killed.db');
      const { rows } = await ask(page, 'query_sql', {
        sql: `SELECT count(*) FROM observations WHERE content LIKE '${SECRET}%'`,
      });
      expect(rows, `killed after ${part} of the time`).toEqual([[400]]);
      expect(await isSound(page)).toBe(true);
      const after = await isEncrypted(page);
      ends.push(`${before === true ? 'encrypted' : 'plain'} -> ${after === true ? 'encrypted' : 'plain'}`);
      expect((await stored(page, 'killed.db', SECRET)).traces === 0).toBe(after);
    }
    console.log(`  killed while it was converted: ${ends.join(', ')}`);
    await page.close();
  });
});
