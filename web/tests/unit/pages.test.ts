import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/source/tools.ts';
import { PAGE_ROWS, Pages } from '../../src/views/table/pages.ts';

type Page = { rows: number[]; total: number };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const page = (offset: number, limit: number, total: number): Answer<Page> => ({
  ok: true,
  text: '',
  value: {
    rows: Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, index) => offset + index),
    total,
  },
});

/** Pages of whole numbers, and the requested offsets. */
function numbers(total: number) {
  const asked: number[] = [];
  const pages = new Pages<number>(async (offset, limit) => {
    asked.push(offset);
    return page(offset, limit, total);
  });
  return { pages, asked };
}

describe('pages', () => {
  it('requests visible pages once', async () => {
    const { pages, asked } = numbers(1000);
    pages.see(0, 30);
    pages.see(0, 35);
    await settled();
    pages.see(5, 40);
    await settled();
    expect(asked).toEqual([0]);
    expect(pages.total).toBe(1000);
    expect(pages.rowAt(42)).toBe(42);
    expect(pages.rowAt(PAGE_ROWS)).toBeUndefined();
  });

  it('requests both pages at a page boundary', async () => {
    const { pages, asked } = numbers(1000);
    pages.see(PAGE_ROWS - 1, PAGE_ROWS);
    await settled();
    expect(asked).toEqual([0, PAGE_ROWS]);
  });

  it('ignores an answer to a request before the last renewal', async () => {
    const answers: ((answer: Answer<Page>) => void)[] = [];
    const pages = new Pages<number>(() => new Promise((resolve) => answers.push(resolve)));
    pages.see(0, 1);
    pages.renew();
    answers[1]?.(page(0, 100, 7));
    await settled();
    answers[0]?.(page(0, 100, 3));
    await settled();
    expect(pages.total).toBe(7);
  });

  it('does not repeat a failed request until the next renewal', async () => {
    let calls = 0;
    const pages = new Pages<number>(async () => {
      calls += 1;
      return { ok: false, text: '', error: { error: 'no', code: 'internal' } };
    });
    pages.see(0, 1);
    await settled();
    pages.see(0, 1);
    await settled();
    expect([calls, pages.error?.code]).toEqual([1, 'internal']);
    pages.renew();
    await settled();
    expect(calls).toBe(2);
  });

  it('drops invisible pages when it is renewed', async () => {
    const { pages } = numbers(1000);
    pages.see(0, 1);
    pages.see(500, 501);
    await settled();
    pages.renew();
    await settled();
    expect(pages.rowAt(0)).toBeUndefined();
    expect(pages.rowAt(500)).toBe(500);
  });

  it('fetches a missing range in calls of at most a thousand rows', async () => {
    const { pages, asked } = numbers(2500);
    const all = await pages.between(0, 2499);
    expect(all.ok && all.value.length).toBe(2500);
    expect(asked).toEqual([0, 1000, 2000]);
  });
});
