import { describe, expect, it } from 'vitest';
import { domainId } from '../../src/app/domain-id.ts';
import { confidenceChart, confidenceText } from '../../src/inspector/memory/confidence-chart.ts';
import { numberOf, shortNumber } from '../../src/inspector/memory/number.ts';
import { tagsOf } from '../../src/inspector/memory/tags.ts';
import { memoryTitle } from '../../src/components/memory-title.ts';

const point = (day: number, value: number, is_expected = false) => ({
  at: `2026-01-${String(day).padStart(2, '0')} 00:00:00`,
  value,
  is_expected,
});

describe('the confidence chart', () => {
  it('has a line for the past and one for the forecast, which meet at the current time', () => {
    const chart = confidenceChart({ points: [point(1, 1), point(6, 0.5), point(11, 0.25, true)] }, 100, 40);
    expect(chart).toEqual({
      known: '0.0,0.0 50.0,20.0',
      expected: '50.0,20.0 100.0,30.0',
      alone: [],
      nowX: 50,
      nowY: 20,
    });
  });

  it('does not connect the points of earlier versions', () => {
    const chart = confidenceChart(
      { points: [{ ...point(1, 0.5), is_alone: true }, point(6, 1), point(11, 0.75)] },
      100,
      40,
    );
    expect(chart).toMatchObject({ known: '50.0,0.0 100.0,10.0', alone: [{ x: 0, y: 20 }] });
  });

  it('is level without decay, and empty for one point', () => {
    expect(confidenceChart({ points: [point(1, 0.5), point(3, 0.5)] }, 100, 40)).toMatchObject({
      known: '0.0,20.0 100.0,20.0',
      expected: '100.0,20.0',
    });
    expect(confidenceChart({ points: [point(1, 0.5)] }, 100, 40)).toBeUndefined();
    // Stored just now: all points are at one moment.
    expect(confidenceChart({ points: [point(1, 0.5), point(1, 0.5)] }, 100, 40)?.known).toBe('0.0,20.0 0.0,20.0');
  });

  it('is described in a sentence', () => {
    expect(
      confidenceText({ points: [point(1, 1), point(6, 0.5), point(11, 0.25, true)], fades_at: '2026-01-20 00:00:00' }),
    ).toBe(
      'Confidence: 100 % on 1 Jan 2026, 50 % now, 25 % expected on 11 Jan 2026 if it is not used. It reaches the minimum on 20 Jan 2026.',
    );
    expect(confidenceText({ points: [] })).toBe('No confidence data.');
  });
});

describe('numbers', () => {
  it('are parsed as people write them', () => {
    expect(['0.9', '0,9', ' 1,5 ', '80 %', '12,5%', '.5', '7'].map(numberOf)).toEqual([
      0.9, 0.9, 1.5, 0.8, 0.125, 0.5, 7,
    ]);
    expect(['abc', 'high', '', '1.2.3', '1,000.5', '0x10', 'Infinity', '%', '1e3'].map(numberOf)).toEqual(
      Array.from({ length: 9 }, () => undefined),
    );
  });

  it('are shown with few digits', () => {
    expect([0.8123456, 1, 0.1 + 0.2].map(shortNumber)).toEqual(['0.812', '1', '0.3']);
  });
});

describe('small texts', () => {
  it('the title of a memory is its first line, truncated at a word', () => {
    expect(memoryTitle('  one line\nand another')).toBe('one line');
    expect(memoryTitle('a few words that go on', 12)).toBe('a few words…');
    expect(memoryTitle('x'.repeat(20), 10)).toBe(`${'x'.repeat(10)}…`);
  });

  it('the title of a memory ends with no half of a character', () => {
    expect(memoryTitle(`x${'😀'.repeat(20)}`, 10)).toBe('x😀😀😀😀…');
    expect(memoryTitle('𠮷'.repeat(20), 10)).toBe('𠮷𠮷𠮷𠮷𠮷…');
  });

  it('tags are comma-separated, without duplicates', () => {
    expect(tagsOf(' a, b c,,a ')).toEqual(['a', 'b c']);
    expect(tagsOf('')).toEqual([]);
  });

  it('the id of a domain is derived from its name', () => {
    expect(domainId('  The Atlas project! ')).toBe('the-atlas-project');
    expect(domainId('日本')).toBe('日本');
    expect(domainId('***')).toBe('***');
    expect(domainId('  ')).toBe('');
  });
});
