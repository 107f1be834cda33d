import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { builtPage } from './support/built-page.ts';
import { ask, exportedBytes, names, open } from './support/memory.ts';
import { ROOT } from './support/places.ts';

const built = builtPage();

const tab = (database: string): Promise<Page> => built.tab(`?database=${database}`);

function imported(page: Page, name: string, bytes: Buffer): Promise<{ ok: boolean; error?: { code: string } }> {
  return page.evaluate(
    async ({ name, text }) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const answer = await window.limbic.importFile?.(new File([bytes], name), { replaces: true });
      return answer === undefined
        ? { ok: false }
        : answer.ok
          ? { ok: true }
          : { ok: false, error: { code: answer.error.code } };
    },
    { name, text: bytes.toString('base64') },
  );
}

describe('a database file', () => {
  it('is exported and imported completely', async () => {
    const [from, to] = [await tab('from.db'), await tab('to.db')];
    await ask(from, 'create_entities', { entities: [{ name: 'Ada', observations: ['likes tea'] }] });
    const bytes = await exportedBytes(from);
    expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3');
    await ask(to, 'create_entities', { entities: [{ name: 'to be replaced' }] });
    expect(await imported(to, 'memory.db', bytes)).toEqual({ ok: true });
    expect(await names(to)).toEqual(['Ada']);
    await open(to, built.url, '?database=to.db');
    expect(await names(to)).toEqual(['Ada']);
    await Promise.all([from.close(), to.close()]);
  });

  it.each([
    [
      'no database',
      'source_unknown',
      (_: Buffer) => Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.from('nothing of the kind '.repeat(500))]),
    ],
    ['one from a newer version', 'newer_version', (bytes: Buffer) => withByte(bytes, 63, 99)],
    ['one damaged in the middle', 'database_damaged', (bytes: Buffer) => bytes.fill(0x5a, 8192, 60_000)],
    ['one that is cut off', 'database_damaged', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ])('that is %s is rejected, and stored data is unchanged', async (what, code, spoil) => {
    const page = await tab(`bad-${what.replaceAll(' ', '-')}.db`);
    await ask(page, 'create_entities', { entities: [{ name: 'Ada' }] });
    const bad = spoil(await exportedBytes(page));
    expect(await imported(page, 'memory.db', bad)).toEqual({ ok: false, error: { code } });
    expect(await names(page)).toEqual(['Ada']);
    await ask(page, 'create_entities', { entities: [{ name: 'Grace' }] });
    await page.close();
  });
});

it('a JSONL file of another program is added', async () => {
  const page = await tab('jsonl.db');
  await ask(page, 'create_entities', { entities: [{ name: 'was there' }] });
  expect(await imported(page, 'memory.jsonl', readFileSync(join(ROOT, 'tests/files/reference.jsonl')))).toEqual({
    ok: true,
  });
  const all = await names(page);
  expect(all).toContain('was there');
  expect(all.length).toBeGreaterThan(1);
  await page.close();
});

it('Markdown and an export of another assistant are added', async () => {
  const page = await tab('notes.db');
  for (const name of ['shop.md', 'more/mem0.json', 'more/agent.af']) {
    expect(await imported(page, name, readFileSync(join(ROOT, 'tests/files/notes', name)))).toEqual({ ok: true });
  }
  expect(await imported(page, 'prose.md', Buffer.from('no structure'))).toEqual({
    ok: false,
    error: { code: 'source_unknown' },
  });
  const { memories } = await ask(page, 'memory_list', { limit: 100 });
  expect(JSON.stringify(memories)).toContain('Build: `make fast` for development');
  await page.close();
});

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  bytes[at] = value;
  return bytes;
}
