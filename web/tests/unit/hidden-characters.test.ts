import { describe, expect, it } from 'vitest';
import { asStored, hasEscaped, unescaped } from '../../src/components/hidden-characters.ts';

describe('invisible characters', () => {
  it('are read from the marks of tools', () => {
    expect(unescaped('<U+200F>שלום, soft<U+00AD>hyphen <U+E0001>')).toBe('\u200Fשלום, soft\u00ADhyphen \u{E0001}');
    expect(hasEscaped('<U+200B>')).toBe(true);
  });

  it('leave other marks alone', () => {
    for (const text of ['<U+0041>', '<U+200f>', '<U+20>', 'U+200F', '<U+FFFFFF>', '']) {
      expect(unescaped(text)).toBe(text);
      expect(hasEscaped(text)).toBe(false);
    }
  });

  it('are read in all texts of a value', () => {
    expect(asStored({ a: ['<U+200B>', 1, null], '<U+200B>': { b: 'x<U+200B>' } })).toEqual({
      a: ['\u200B', 1, null],
      '\u200B': { b: 'x\u200B' },
    });
  });
});
