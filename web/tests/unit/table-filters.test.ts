import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Filters } from '../../src/views/table/filters.tsx';
import { memories } from '../../src/views/table/kinds/memories.tsx';
import type { RecordKind, Row } from '../../src/views/table/record-kind.ts';
import { filterParam, parseTableUrl, queryOf } from '../../src/views/table/table-url-state.ts';

it('filters memories by the label of their origin, which is typed', () => {
  const label = 'import:notes.json#32a53c99bbee43e7';
  const urlState = parseTableUrl({ kind: 'memories', [filterParam('origin')]: label }, ['memories']);
  expect(queryOf(urlState, memories.order).filter).toEqual({ origin: label });
  const kind = memories as RecordKind<never> as RecordKind<Row>;
  const ignored = (): void => {};
  const page = (shown: typeof urlState): string =>
    renderToStaticMarkup(
      createElement(Filters, { kind, urlState: shown, stats: undefined, onChange: ignored, onClear: ignored }),
    );
  expect(page(urlState)).toMatch(new RegExp(`<input[^>]*aria-label="Origin"[^>]*value="${label}"`, 'u'));
  // It is shown in the field alone.
  expect(page(urlState)).not.toContain(`origin: ${label}`);
  expect(page(parseTableUrl({ kind: 'memories' }, ['memories']))).toContain(
    'placeholder="Origin, such as client:NAME"',
  );
});
