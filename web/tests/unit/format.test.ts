import { afterEach, describe, expect, it } from 'vitest';
import { day } from '../../src/components/format.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('a day', () => {
  it.each(['America/New_York', 'UTC', 'Pacific/Auckland'])('without a time is the same in %s', (where) => {
    process.env['TZ'] = where;
    expect(day('2026-11-29')).toBe('29 Nov 2026');
  });

  it('of a moment is that of the reader', () => {
    process.env['TZ'] = 'America/New_York';
    expect(day('2026-11-29 01:00:00')).toBe('28 Nov 2026');
  });
});
