import { expect, it } from 'vitest';
import { withMeaning } from '../../src/components/format-values.ts';
import { named } from '../../src/views/table/options.ts';

it('explains Spanish values and leaves others unchanged', () => {
  expect(['activo', 'parte_de', 'active', 'toString', ''].map(withMeaning)).toEqual([
    'activo (active)',
    'parte_de (part of)',
    'active',
    'toString',
    '',
  ]);
});

it('filters by a Spanish value and shows its meaning', () => {
  expect(named([{ name: 'pausado', count: 2 }])).toEqual([{ id: 'pausado', title: 'pausado (paused)', count: 2 }]);
});
