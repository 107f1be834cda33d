import { describe, expect, it } from 'vitest';
import { colorAt, PALETTES, typeColors } from '../../src/components/type-color.ts';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** How linear light is seen: Machado, Oliveira and Fernandes 2009, full severity. */
const SIGHTS: Readonly<Record<string, Matrix>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152, 1.053, -0.205],
    [0.115, 0.786, 0.099],
    [-0.004, -0.048, 1.052],
  ],
  'no green': [
    [0.367, 0.861, -0.228],
    [0.28, 0.673, 0.047],
    [-0.012, 0.043, 0.969],
  ],
};
/** In OKLab; 0.02 is just noticed side by side. */
const APART = 0.1;

describe.each(['light', 'dark'] as const)('the %s palette', (shown) => {
  it.each(Object.keys(SIGHTS))('keeps its colours apart for people who see %s', (sight) => {
    const seen = PALETTES[shown].map((color) => oklab(times(SIGHTS[sight] as Matrix, linear(color))));
    for (const [index, one] of seen.entries()) {
      for (const other of seen.slice(0, index))
        expect(Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])).toBeGreaterThan(APART);
    }
  });
});

it('a value keeps its colour when others become more frequent, and rare ones share one', () => {
  typeColors.add(['Project', 'Person']);
  typeColors.add(['Person', 'Service', 'Project']);
  const colors = ['Project', 'Person', 'Service'].map((word) => typeColors.colorOf(word, 'dark'));
  expect(colors).toEqual([0, 1, 2].map((index) => colorAt(index, 'dark')));
  expect(colorAt(40, 'light')).toBe(typeColors.colorOf('never stored', 'light'));
});

function linear(color: string): Triple {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function times(matrix: Matrix, [red, green, blue]: Triple): Triple {
  const [x = 0, y = 0, z = 0] = matrix.map(([a, b, c]) => Math.max(0, a * red + b * green + c * blue));
  return [x, y, z];
}

function oklab([red, green, blue]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
