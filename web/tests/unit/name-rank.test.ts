import { expect, it } from 'vitest';
import { rankedByName } from '../../src/components/name-rank.ts';

const rows = ['Delegate', 'Tempanillo', 'Old gateway', 'Gateway G2', 'Sésame', 'Gate'].map((name) => ({ name }));
const ranked = (text: string): string[] => rankedByName(rows, text).map(({ name }) => name);

it('puts names that match a text before records that contain it elsewhere', () => {
  expect(ranked('gate')).toEqual(['Gate', 'Gateway G2', 'Old gateway', 'Delegate', 'Tempanillo', 'Sésame']);
  expect(ranked(' SESAME ')[0]).toBe('Sésame');
  expect(ranked('')).toEqual(rows.map(({ name }) => name));
});
