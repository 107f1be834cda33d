import { expect, it } from 'vitest';
import { originText } from '../../src/inspector/origin-text.ts';

it('names the project and the file of an origin unless its label has them', () => {
  const origin = { id: 1, since: '', project: 'atlas' };
  expect(originText({ ...origin, kind: 'client', label: 'client:x' })).toBe('client:x, project atlas');
  expect(originText({ ...origin, kind: 'hook', label: 'hook:atlas' })).toBe('hook:atlas');
  expect(originText({ id: 1, since: '', kind: 'import', label: 'import:a.db#12', file: 'a.db' })).toBe(
    'import:a.db#12',
  );
  expect(originText({ id: 1, since: '', kind: 'client', label: 'client:x', file: 'a.db' })).toBe(
    'client:x, imported from a.db',
  );
});
