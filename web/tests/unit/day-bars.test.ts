import { expect, it } from 'vitest';
import { endOf, lastDays } from '../../src/components/day-bars.tsx';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const on = (date: string, count = 1) => ({ date, count });

it('the bars end today unless the last count is long ago', () => {
  expect(endOf([on('2026-11-01')], 60, NOW)).toEqual({ millis: NOW, isToday: true, text: 'today' });
  expect(endOf([], 60, NOW).isToday).toBe(true);
  const { millis, isToday, text } = endOf([on('2026-09-30'), on('2026-10-09'), on('2026-11-20', 0)], 60, NOW);
  expect([isToday, text]).toEqual([false, '9 Oct 2026']);
  expect(lastDays([on('2026-10-09', 3)], 60, millis).at(-1)).toEqual({ date: '2026-10-09', count: 3 });
});
