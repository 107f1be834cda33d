import { describe, expect, it } from 'vitest';
import { Feed } from '../../src/views/timeline/feed.ts';
import { rowsOf } from '../../src/views/timeline/phrase.ts';
import { barsOf, type Bucket, stacked } from '../../src/views/timeline/series.ts';
import { between, DAY, formatTime, moved, parseTime, resized, unitOf } from '../../src/views/timeline/span.ts';
import { ticks } from '../../src/views/timeline/ticks.ts';
import { hiddenParams, parseTimelineUrl, windowParams } from '../../src/views/timeline/timeline-url-state.ts';

const at = (text: string): number => parseTime(text) ?? Number.NaN;
const RANGE = { from: at('2026-01-01'), to: at('2026-03-01') };
const APRIL = { from: at('2026-01-10'), to: at('2026-01-20') };
const nothing: Bucket = {
  start: '2026-01-01 00:00:00',
  entities: 0,
  observations: 0,
  relations: 0,
  reflections: 0,
  superseded: 0,
  ended: 0,
  searches: 0,
  accesses: 0,
  memories: 0,
  memories_changed: 0,
  memories_ended: 0,
  memories_linked: 0,
};

describe('a window of time', () => {
  it('stops at the ends of the range and keeps its length', () => {
    expect(moved(APRIL, -100 * DAY, RANGE)).toEqual({ from: RANGE.from, to: RANGE.from + 10 * DAY });
    expect(moved(APRIL, 100 * DAY, RANGE)).toEqual({ from: RANGE.to - 10 * DAY, to: RANGE.to });
  });

  it('keeps at least a unit when it is resized', () => {
    expect(resized(APRIL, 'to', -100 * DAY, RANGE, DAY)).toEqual({ from: APRIL.from, to: APRIL.from + DAY });
    expect(resized(APRIL, 'from', 100 * DAY, RANGE, DAY)).toEqual({ from: APRIL.to - DAY, to: APRIL.to });
    expect(resized(APRIL, 'to', 100 * DAY, RANGE, DAY).to).toBe(RANGE.to);
  });

  it('snaps to whole units in either direction', () => {
    const drawn = between(APRIL.to - 1, APRIL.from + 1, RANGE, DAY);
    expect(drawn).toEqual(APRIL);
    expect(between(APRIL.from, APRIL.from, RANGE, DAY)).toEqual({ from: APRIL.from, to: APRIL.from + DAY });
    expect(between(APRIL.from + 1, APRIL.from + 2, RANGE, DAY)).toEqual({ from: APRIL.from, to: APRIL.from + DAY });
  });

  it('is measured in days, hours or minutes', () => {
    expect([60 * DAY, DAY, DAY / 24].map((length) => unitOf({ from: 0, to: length }))).toEqual([
      DAY,
      DAY / 24,
      DAY / 1440,
    ]);
  });

  it('is a day in the address if possible, and round-trips', () => {
    expect(formatTime(APRIL.from)).toBe('2026-01-10');
    expect(formatTime(APRIL.from + 90_000)).toBe('2026-01-10 00:01:30');
    for (const time of [APRIL.from, APRIL.from + 90_000]) expect(parseTime(formatTime(time))).toBe(time);
    expect(parseTime('soon')).toBeUndefined();
    expect(parseTime('2026-01-10T01:00')).toBe(APRIL.from + DAY / 24);
  });
});

describe('the address of the timeline', () => {
  it('round-trips through the address', () => {
    const params = { ...windowParams(APRIL), ...hiddenParams(['searches', 'accesses']) } as Record<string, string>;
    expect(parseTimelineUrl(params)).toEqual({
      range: { from: undefined, to: undefined },
      window: APRIL,
      hidden: new Set(['searches', 'accesses']),
    });
  });

  it('ignores a window that ends before it starts', () => {
    expect(parseTimelineUrl({ since: '2026-02-01', until: '2026-01-01' }).window).toBeUndefined();
    expect(parseTimelineUrl({ from: '2026-02-01', to: '2026-01-01' }).range).toEqual({});
    expect(parseTimelineUrl({ hide: 'nothing' }).hidden.size).toBe(0);
  });
});

describe('bars', () => {
  it('are stacked within the lane', () => {
    const { blocks, max } = stacked(
      [
        { ...nothing, entities: 1, relations: 3 },
        { ...nothing, entities: 2 },
      ],
      ['entities', 'relations'],
    );
    expect(max).toBe(4);
    expect(blocks).toEqual([
      { series: 'entities', bucket: 0, bottom: 0, height: 0.25 },
      { series: 'relations', bucket: 0, bottom: 0.25, height: 0.75 },
      { series: 'entities', bucket: 1, bottom: 0, height: 0.5 },
    ]);
  });

  it('are absent without events', () => {
    expect(stacked([nothing], ['entities'])).toEqual({ blocks: [], max: 0 });
    expect(stacked([], ['entities']).max).toBe(0);
  });

  it('have a series for every count of a bucket', () => {
    expect((['stored', 'used'] as const).flatMap((lane) => barsOf(lane, new Set())).sort()).toEqual(
      Object.keys(nothing)
        .filter((name) => name !== 'start')
        .sort(),
    );
  });
});

describe('ticks', () => {
  it.each([1, 7, 40, 400, 4000])('are round and limited in number, over %i days', (days) => {
    const range = { from: at('2026-01-05'), to: at('2026-01-05') + days * DAY };
    const found = ticks(range, 8);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(9);
    expect(found.every(({ time }) => time >= range.from && time < range.to)).toBe(true);
  });

  it('name the year at its start', () => {
    expect(ticks({ from: at('2025-06-01'), to: at('2026-06-01') }, 12).map(({ label }) => label)).toContain('2026');
  });
});

describe('the list of events', () => {
  const event = (id: number, day: string) => ({ kind: 'search', at: `${day} 10:00:00`, id, text: 'x' });

  it('shows each day once', () => {
    const rows = rowsOf([event(3, '2026-01-02'), event(2, '2026-01-01'), event(1, '2026-01-01')], (time) =>
      time.slice(0, 10),
    );
    expect(rows.map(({ day }) => day)).toEqual(['2026-01-02', '2026-01-01', undefined]);
  });

  it('fetches further pages up to the end', async () => {
    const asked: (string | undefined)[] = [];
    const feed = new Feed(async (cursor) => {
      asked.push(cursor);
      return {
        ok: true,
        text: '',
        value: { events: [event(asked.length, '2026-01-01')], next_cursor: cursor === undefined ? 'c' : undefined },
      };
    });
    await Promise.all([feed.more(), feed.more()]);
    await feed.more();
    await feed.more();
    expect(asked).toEqual([undefined, 'c']);
    expect(feed.events?.map(({ id }) => id)).toEqual([1, 2]);
    await feed.renew();
    // As many as there were, so that the reader's place stays.
    expect(feed.events?.map(({ id }) => id)).toEqual([3, 4]);
    expect(feed.hasMore).toBe(false);
  });

  it('keeps its events if a page fails', async () => {
    let fails = false;
    const feed = new Feed(async () =>
      fails
        ? { ok: false, text: '', error: { error: 'gone', code: 'internal' } }
        : { ok: true, text: '', value: { events: [event(1, '2026-01-01')], next_cursor: 'c' } },
    );
    await feed.more();
    fails = true;
    await feed.more();
    expect([feed.events?.length, feed.error?.code]).toEqual([1, 'internal']);
    await feed.renew();
    expect([feed.events?.length, feed.error?.code]).toEqual([1, 'internal']);
    fails = false;
    await feed.renew();
    expect([feed.events?.length, feed.error]).toEqual([1, undefined]);
  });

  it('asks a server that fails only once until the user retries', async () => {
    let calls = 0;
    let fails = true;
    const feed = new Feed(async () => {
      calls += 1;
      return fails
        ? { ok: false, text: '', error: { error: 'gone', code: 'internal' } }
        : { ok: true, text: '', value: { events: [event(calls, '2026-01-01')] } };
    });
    for (let scrolled = 0; scrolled < 3; scrolled += 1) await feed.more();
    expect(calls).toBe(1);
    fails = false;
    await feed.renew();
    expect([calls, feed.events?.length, feed.error]).toEqual([2, 1, undefined]);
  });

  /** A feed of 2 events a page, and its calls, which wait until they are let through. */
  function slowFeed() {
    const waiting: (() => void)[] = [];
    let calls = 0;
    let version = 0;
    const feed = new Feed(async (cursor) => {
      calls += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      const from = Number(cursor ?? 0);
      return {
        ok: true,
        text: '',
        value: {
          events: [event(from + version, '2026-01-01'), event(from + 1 + version, '2026-01-01')],
          next_cursor: String(from + 2),
        },
      };
    });
    const step = async (): Promise<void> => {
      waiting.splice(0).forEach((go) => go());
      await new Promise((resolve) => setTimeout(resolve));
    };
    const load = async (pages: number): Promise<void> => {
      for (let page = 0; page < pages; page += 1) {
        void feed.more();
        await step();
      }
    };
    const write = (): void => {
      version += 100;
      void feed.renew();
    };
    return { feed, step, load, write, calls: () => calls };
  }

  it('is renewed although the data changes all the time', async () => {
    const { feed, step, load, write } = slowFeed();
    await load(3);
    for (let count = 0; count < 4; count += 1) {
      write();
      await step();
    }
    expect(feed.events?.[0]?.id).toBeGreaterThanOrEqual(100);
    expect(feed.events).toHaveLength(6);
  });

  it('is renewed once more for all the changes during a renewal', async () => {
    const { feed, step, load, write, calls } = slowFeed();
    await load(2);
    const before = calls();
    for (let count = 0; count < 5; count += 1) write();
    for (let count = 0; count < 8; count += 1) await step();
    expect(calls() - before).toBe(4);
    expect(feed.events?.map(({ id }) => id)).toEqual([500, 501, 502, 503]);
  });

  it('gets earlier events also during a renewal, which keeps them', async () => {
    const { feed, step, load, write } = slowFeed();
    await load(2);
    write();
    void feed.more();
    await step();
    expect(feed.events).toHaveLength(6);
    for (let count = 0; count < 4; count += 1) await step();
    expect(feed.events?.map(({ id }) => id)).toEqual([100, 101, 102, 103, 104, 105]);
  });
});
