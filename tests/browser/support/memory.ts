/** Access to the memory of a page through its source, which `?test` in the address exposes as `limbic`. */
import { errors, type Page } from 'playwright-core';
import type { Source } from '../../../web/src/source/source.ts';
import type { Input, Output, ToolError, ToolName } from '../../../web/src/source/tools.ts';

declare global {
  interface Window {
    limbic: Source;
  }
}

/** An address with the test switch. `path` may hold more parameters: `?no-model#/graph`. */
export function testAddress(base: string, path = ''): string {
  // An empty path would drop the base's fragment.
  const url = path === '' ? new URL(base) : new URL(path, base);
  url.searchParams.set('test', '');
  return url.href;
}

/** Opens the explorer without the model, and waits until its memory answers. */
export async function open(page: Page, base: string, path = ''): Promise<void> {
  const url = new URL(testAddress(base, path));
  url.searchParams.set('no-model', '');
  await page.goto(url.href);
  await up(page);
}

/** Waits until the memory answers. */
export async function up(page: Page): Promise<void> {
  await page.waitForFunction(() => 'limbic' in window);
  await page.evaluate(async () => void (await window.limbic.tools()));
}

/** Calls a tool; a failure is returned. */
export function call<T extends ToolName>(
  page: Page,
  tool: T,
  args: Input<T>,
): Promise<{ ok: boolean; value?: Output<T>; error?: ToolError }> {
  return page.evaluate(({ tool, args }) => window.limbic.callByName(tool, args), {
    tool,
    args: args as unknown,
  }) as never;
}

/** Calls a tool; throws on failure. */
export async function ask<T extends ToolName>(page: Page, tool: T, args: Input<T>): Promise<Output<T>> {
  const { ok, value, error } = await call(page, tool, args);
  if (!ok || value === undefined) throw new Error(`${tool}: ${JSON.stringify(error)}`);
  return value;
}

/** Names of all entities. */
export async function names(page: Page): Promise<string[]> {
  const { rows } = await ask(page, 'explore_records', { kind: 'entities', limit: 1000 });
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** Whether the database is intact: an import of its own file checks every page. */
export function isSound(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const file = await window.limbic.exportDatabase();
    if (!file.ok) return false;
    const answer = await window.limbic.importFile?.(new File([file.value], 'memory.db'), { replaces: true });
    return answer?.ok === true;
  });
}

/** The database file that the page exports. */
export async function exportedBytes(page: Page): Promise<Buffer> {
  const text = await page.evaluate(async () => {
    const file = await window.limbic.exportDatabase();
    if (!file.ok) throw new Error(file.text);
    const bytes = new Uint8Array(await file.value.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  return Buffer.from(text, 'base64');
}

interface Dropped {
  readonly name: string;
  readonly head: Buffer;
  /** The size of the file in bytes; its content is followed by zeros. */
  readonly size?: number;
}

/** Drops a file on the page, as a file manager does. With `size`, its content is padded with zeros. */
export function dropFile(page: Page, name: string, head: Buffer, size = head.length): Promise<void> {
  return dropFiles(page, [{ name, head, size }]);
}

/** Drops several files at once. */
export async function dropFiles(page: Page, files: readonly Dropped[]): Promise<void> {
  const data = await page.evaluateHandle(
    (files) => {
      const step = 2 ** 20;
      const some = new Blob([new Uint8Array(step)]);
      const transfer = new DataTransfer();
      for (const { name, text, zeros } of files) {
        // A blob refers to its parts that are blobs without copying them.
        const rest = [...Array.from({ length: Math.floor(zeros / step) }, () => some), some.slice(0, zeros % step)];
        transfer.items.add(
          new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0)), ...rest], name),
        );
      }
      return transfer;
    },
    files.map(({ name, head, size = head.length }) => ({
      name,
      text: head.toString('base64'),
      zeros: size - head.length,
    })),
  );
  const body = page.locator('body');
  await body.dispatchEvent('dragenter', { dataTransfer: data });
  await page.getByText('Drop files to import them').waitFor();
  await body.dispatchEvent('dragover', { dataTransfer: data });
  await body.dispatchEvent('drop', { dataTransfer: data });
}

/** Chooses an item of the menu of the whole memory. */
export async function chooseItem(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Memory: import, export, sample, tour' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Chooses a file to import, by the menu. */
export async function chooseFile(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await chooseItem(page, 'Import files…');
  await (await chooser).setFiles(path);
}

/** Navigates within the page. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((hash) => void (location.hash = hash), hash);

/** Closes all notices. One may expire while it is being closed. */
export async function closeNotices(page: Page): Promise<void> {
  const close = page.getByRole('region', { name: /Notifications/ }).getByRole('button', { name: 'Close' });
  while ((await close.count()) > 0) {
    await close
      .first()
      .click({ timeout: 1000 })
      .catch((error: unknown) => {
        if (!(error instanceof errors.TimeoutError)) throw error;
      });
  }
}
