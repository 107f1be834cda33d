import { describe, expect, it } from 'vitest';
import { copyText } from '../../src/views/table/copy.ts';
import { targetRow, moveTo, emptySelection, selectRange, toggle } from '../../src/views/table/row-selection.ts';
import {
  chosenFilter,
  filterParam,
  formatOrder,
  nextOrder,
  paramsOfKind,
  parseTableUrl,
  queryOf,
  withoutFilters,
} from '../../src/views/table/table-url-state.ts';
import { widths } from '../../src/views/table/widths.ts';

const KINDS = ['entities', 'observations'];
const BY_ID = { column: 'id', descending: false };
const rows = [1, 2, 3, 4, 5].map((id) => ({ id }));

describe('the address of the table', () => {
  it("becomes the tool's input", () => {
    const urlState = parseTableUrl(
      {
        kind: 'observations',
        q: 'clock',
        sort: '-created_at',
        status: 'current',
        'is.kind': 'metric',
        since: '2026-01-01',
      },
      KINDS,
    );
    expect(queryOf(urlState, BY_ID)).toEqual({
      kind: 'observations',
      text: 'clock',
      entity_type: undefined,
      status: 'current',
      filter: { kind: 'metric' },
      since: '2026-01-01',
      until: undefined,
      sort: 'created_at',
      descending: true,
    });
  });

  it('falls back to the first kind and to the order of the kind', () => {
    const urlState = parseTableUrl({ kind: 'domains' }, KINDS);
    expect(urlState.kind).toBe('entities');
    expect(queryOf(urlState, { column: 'name', descending: true })).toMatchObject({
      sort: 'name',
      descending: true,
      filter: undefined,
      text: undefined,
    });
  });

  it('reads back each filter', () => {
    for (const name of ['type', 'status', 'mood']) {
      expect(chosenFilter(parseTableUrl({ [filterParam(name)]: 'x' }, KINDS), name)).toBe('x');
    }
  });

  it('reverses the order of a column and starts another one ascending', () => {
    expect(formatOrder(nextOrder({ column: 'name', descending: false }, 'name'))).toBe('-name');
    expect(formatOrder(nextOrder({ column: 'name', descending: true }, 'id'))).toBe('id');
  });

  it('drops parameters for another kind, and keeps kind and order when filters are cleared', () => {
    expect(paramsOfKind({ kind: 'entities', q: 'x', sort: 'name' }, 'relations')).toEqual({
      kind: 'relations',
      q: undefined,
      sort: undefined,
    });
    expect(withoutFilters({ kind: 'entities', q: 'x', sort: 'name', 'is.kind': 'y' })).toEqual({
      q: undefined,
      'is.kind': undefined,
    });
  });
});

describe('marks', () => {
  it('toggles single rows', () => {
    const one = toggle(emptySelection<{ id: number }>(), 1, { id: 2 });
    expect([...one.chosen.keys()]).toEqual([2]);
    expect(toggle(one, 1, { id: 2 }).chosen.size).toBe(0);
  });

  it('follows a range that grows and shrinks, without changing other rows', () => {
    const far = toggle(emptySelection<{ id: number }>(), 9, { id: 10 });
    const wide = selectRange(moveTo(far, 0), 3, rows.slice(0, 4));
    expect([...wide.chosen.keys()]).toEqual([10, 1, 2, 3, 4]);
    expect([...selectRange(wide, 1, rows.slice(0, 2)).chosen.keys()]).toEqual([10, 1, 2]);
  });

  it('moves by keys and stops at the ends', () => {
    expect(targetRow('ArrowDown', 4, 5, 10)).toBe(4);
    expect(targetRow('ArrowUp', -1, 5, 10)).toBe(0);
    expect(targetRow('PageDown', 0, 50, 10)).toBe(10);
    expect(targetRow('End', 0, 50, 10)).toBe(49);
    expect(targetRow('x', 0, 50, 10)).toBeUndefined();
    expect(targetRow('Home', 0, 0, 10)).toBeUndefined();
  });
});

describe('copied rows', () => {
  const columns = [{ id: 'a', title: 'A', minWidth: 1, show: () => null, text: ({ a }: { a: string }) => a }];

  it('are one line each', () => {
    expect(copyText(columns, [{ a: 'one\ntwo\tthree' }])).toBe('A\none two three');
  });

  it('contain no spreadsheet formulas', () => {
    const rows = [{ a: '=HYPERLINK("x")' }, { a: '-1-2' }, { a: '\t=1' }, { a: '-1' }];
    expect(copyText(columns, rows)).toBe("A\n'=HYPERLINK(\"x\")\n'-1-2\n' =1\n-1");
  });
});

it('columns share the remaining width and keep their minimum width', () => {
  expect(widths([{ minWidth: 100, share: 2 }, { minWidth: 50 }])).toEqual({
    tracks: '36px minmax(100px, 2fr) 50px',
    minWidth: 186,
  });
});
