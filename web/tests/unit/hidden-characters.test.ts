import { describe, expect, it } from 'vitest';
import { escaped, unescaped, unescapedEdit, unescapedIn } from '../../src/components/hidden-characters.ts';
import { memoryRecords, type MemorySnapshot } from '../../src/mutations/undo-snapshot-memories.ts';

describe('invisible characters', () => {
  it('are read from the marks of tools', () => {
    expect(unescaped('<U+200F>שלום, soft<U+00AD>hyphen <U+E0001>')).toBe('\u200Fשלום, soft\u00ADhyphen \u{E0001}');
  });

  it('leave other marks alone', () => {
    for (const text of ['<U+0041>', '<U+200f>', '<U+20>', 'U+200F', '<U+FFFFFF>', '']) {
      expect(unescaped(text)).toBe(text);
    }
  });

  it('are not read from a mark that no tool writes', () => {
    for (const text of ['❤<U+FE0F>', 'می<U+200C>خواهم', '👩<U+200D>👩', '1<U+FE0F>', '葛<U+E0100>', 'a<U+000D>\nb']) {
      expect(unescaped(text)).toBe(text);
    }
  });

  // The cases of `limbic-guard/src/sanitize.rs`.
  it('are escaped as the core escapes them', () => {
    for (const [text, wanted] of [
      ['a\u202Eb', 'a<U+202E>b'],
      ['a\0b\x7F', 'a<U+0000>b<U+007F>'],
      ['over\rwritten', 'over<U+000D>written'],
      ['\u{E0041}\u{E007F}', '<U+E0041><U+E007F>'],
      ['a\u200Db\u200Cc', 'a<U+200D>b<U+200C>c'],
      ['x\uFE01\uFE02', 'x<U+FE01><U+FE02>'],
      ['😀\uFE0F\uFE01\u{E0101}', '😀\uFE0F<U+FE01><U+E0101>'],
      ['a\uFE0F\u200D😀', 'a<U+FE0F><U+200D>😀'],
      ['🏴\u{E0067}\u{E0062}\u{E0041}', '🏴<U+E0067><U+E0062><U+E0041>'],
    ] as const) {
      expect(escaped(text)).toBe(wanted);
      expect(unescaped(wanted)).toBe(text);
    }
  });

  it('stay where a script or an emoji needs them', () => {
    for (const text of [
      '👩\u200D👩\u200D👧',
      '❤\uFE0F\u200D🔥',
      '👩🏽\u200D💻',
      'می\u200Cخواهم',
      'क्\u200Dष',
      '1\uFE0F\u20E3',
      '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
      '葛\u{E0100}',
      'ᠮᠣᠩ\u180B',
      'a\r\n\tb',
    ]) {
      expect(escaped(text)).toBe(text);
    }
  });

  it('are read from an edited text only if the text had any', () => {
    expect(unescapedEdit('a<U+200B>b', 'a<U+200B>bc')).toBe('a\u200Bbc');
    expect(unescapedEdit('ab', 'ab <U+200B>')).toBe('ab <U+200B>');
  });

  it('are read in the given fields alone', () => {
    const record = { content: '<U+200B>', tags: ['x<U+200B>'], name: '<U+200B>', count: 1, path: undefined };
    expect(unescapedIn(record, ['content', 'tags', 'count', 'path'])).toEqual({
      content: '\u200B',
      tags: ['x\u200B'],
      name: '<U+200B>',
      count: 1,
    });
  });
});

it('the undo of a deleted memory leaves its metadata, its owner and its entities as they are', () => {
  const mark = 'a<U+200B>';
  const snapshot = {
    memory: { id: 'm', content: mark, tags: [mark], user_id: mark, metadata: { [mark]: mark } },
    history: [{ content: mark, confidence: 1, replaced_at: 'x', subject: mark }],
    links: [],
    entities: [{ id: 1, name: mark, entityType: 't', given: true }],
    sessions: [],
    confidence: { points: [] },
  } as unknown as MemorySnapshot;
  expect(memoryRecords([snapshot])).toMatchObject([
    { content: 'a\u200B', tags: ['a\u200B'], user_id: mark, metadata: JSON.stringify({ [mark]: mark }) },
    { record: 'memory_mention', entity: mark },
    { record: 'memory_history', content: 'a\u200B', subject: 'a\u200B' },
  ]);
});
