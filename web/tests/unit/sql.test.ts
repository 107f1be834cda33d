import { describe, expect, it } from 'vitest';
import { moved } from '../../src/views/sql/cell-position.ts';
import { kindOf, textOf, toCsv, toJson, widthsOf } from '../../src/views/sql/cells.ts';
import { highlight, quoted } from '../../src/views/sql/highlight.ts';
import { parseHistory, withEntry } from '../../src/views/sql/history.ts';

describe('colouring', () => {
  it.each([
    'SELECT \'it\'\'s\', "a""b" -- x\nFROM t',
    "'open",
    '/* open',
    'x[1]',
    '<script>alert(1)</script>',
    '',
    '💥 ñ',
  ])('gives the text back: %s', (sql) => {
    expect(
      highlight(sql)
        .map(({ text }) => text)
        .join(''),
    ).toBe(sql);
  });

  it('distinguishes token kinds', () => {
    const what = (sql: string): string[] =>
      highlight(sql)
        .filter(({ text }) => text.trim() !== '')
        .map((piece) => piece.what);
    expect(what("select 'from' -- from\n 12 name")).toEqual(['keyword', 'text', 'comment', 'number', 'plain']);
    expect(what("'it''s'")).toEqual(['text']);
    expect(what('"from"')).toEqual(['name']);
  });

  it('quotes names that need it', () => {
    expect([quoted('entities'), quoted('order'), quoted('a b'), quoted('a"b')]).toEqual([
      'entities',
      '"order"',
      '"a b"',
      '"a""b"',
    ]);
  });
});

const result = {
  columns: ['n', 'n', 'text'],
  rows: [
    [1, null, ''],
    [-0.5, { bytes: 1536 }, 'a,"b"\nc'],
    ['9007199254740993', 2, ' edge'],
  ],
} as const;

describe('cells', () => {
  it('distinguish NULL, the text NULL and a blob', () => {
    expect([kindOf(null), kindOf('NULL'), kindOf({ bytes: 1 }), kindOf(0)]).toEqual(['null', 'text', 'blob', 'number']);
    expect([textOf(null), textOf({ bytes: 1 }), textOf({ bytes: 1536 })]).toEqual([
      'NULL',
      'blob, 1 byte',
      'blob, 1,536 bytes',
    ]);
  });

  it('become CSV: NULL empty, an empty text in quotes', () => {
    expect(toCsv(result)).toBe(
      'n,n,text\r\n1,,""\r\n-0.5,"blob, 1,536 bytes","a,""b""\nc"\r\n9007199254740993,2," edge"\r\n',
    );
  });

  it('become CSV without formulas: texts that a spreadsheet would run begin with an apostrophe, numbers do not', () => {
    const texts = ['=HYPERLINK("x")', '+1+2', '-1-2', '@SUM(A1)', '\t=1', '\r=1', '-9007199254740993', 'a=b'];
    const csv = toCsv({ columns: ['=1', 'n'], rows: texts.map((text) => [text, -1.5]) });
    expect(csv).toBe(
      [
        "'=1,n",
        '"\'=HYPERLINK(""x"")",-1.5',
        "'+1+2,-1.5",
        "'-1-2,-1.5",
        "'@SUM(A1),-1.5",
        "'\t=1,-1.5",
        '"\'\r=1",-1.5',
        '-9007199254740993,-1.5',
        'a=b,-1.5',
        '',
      ].join('\r\n'),
    );
  });

  it('become JSON that loses no column of the same name', () => {
    expect(JSON.parse(toJson(result))[0]).toEqual({ n: 1, n_2: null, text: '' });
  });

  it('determine column widths within limits', () => {
    const [narrow, wide] = widthsOf({ columns: ['a', 'b'], rows: [[1, 'x'.repeat(9999)]] });
    expect([narrow, wide]).toEqual([64, 420]);
  });
});

describe('keys in the table', () => {
  it('start at the first cell and stay inside the table', () => {
    expect(moved(undefined, 'ArrowDown', false, 3, 2)).toEqual({ row: 0, column: 0 });
    expect(moved({ row: 2, column: 1 }, 'ArrowDown', false, 3, 2)).toEqual({ row: 2, column: 1 });
    expect(moved({ row: 0, column: 1 }, 'ArrowRight', false, 3, 2)).toEqual({ row: 0, column: 1 });
    expect(moved({ row: 1, column: 0 }, 'End', true, 3, 2)).toEqual({ row: 2, column: 1 });
  });

  it('leave other keys alone', () => {
    expect(moved({ row: 0, column: 0 }, 'Tab', false, 3, 2)).toBeUndefined();
    expect(moved(undefined, 'ArrowDown', false, 0, 2)).toBeUndefined();
  });
});

describe('the history', () => {
  it('has each query once, newest first, at most fifty', () => {
    expect(withEntry(['a', 'b'], 'b')).toEqual(['b', 'a']);
    expect(
      withEntry(
        Array.from({ length: 50 }, (_, index) => String(index)),
        'new',
      ),
    ).toHaveLength(50);
    expect(withEntry(['a'], '  ')).toEqual(['a']);
    expect(withEntry(['a'], 'x'.repeat(10_001))).toEqual(['a']);
  });

  it('tolerates any stored value', () => {
    for (const text of [null, '{', '"x"', 'null', '{}']) expect(parseHistory(text)).toEqual([]);
    expect(parseHistory('["a", 1, "b"]')).toEqual(['a', 'b']);
  });
});
