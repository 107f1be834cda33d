/** The explorer reads and writes marks of invisible characters itself; the core, which writes them, decides how. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Library from '../../node/src/library-types.ts';
import { escaped, unescaped } from '../../web/src/components/hidden-characters.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const { open } = (await import(pathToFileURL(join(PACKAGE, 'dist', 'index.js')).href)) as typeof Library;

/** Letters that decide whether an invisible character behind them is needed, and one that does not. */
const BEFORE = ['a', '1', '#', ' ', '❤', '😀', 'م', '؜', 'क', 'ᠠ', '葛', '\u{20E3}', '\u{FE0F}', '\u{200D}', '🏴'];
const AFTER = ['a', '\n', '😀'];
const MAX_CHARACTERS = 8000;

/** All code points up to here; beyond the flags' tags, none is special. */
const LAST = 0x1ffff;
const TAGS = [0xe0000, 0xe0fff] as const;

function* codePoints(): Generator<number> {
  // No tool stores NUL.
  for (let code = 1; code <= LAST; code += 1) if (code < 0xd800 || code > 0xdfff) yield code;
  for (let [code] = TAGS as readonly [number, number]; code <= TAGS[1]; code += 1) yield code;
}

/** Whether a code point, or one beside it, is escaped somewhere: only these are tried behind every letter. */
function isNear(code: number): boolean {
  return [code - 1, code, code + 1].some(
    (one) => one >= 0 && (one < 0xd800 || one > 0xdfff) && escaped(`a${String.fromCodePoint(one)}`).includes('<U+'),
  );
}

test('the explorer escapes every character as the core does, and reads it again', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  let text = 'a';
  const compare = async (): Promise<void> => {
    const content = `${text}a`;
    text = 'a';
    const { id } = (await memory.memory_store({ content, domain: 'general' })).memory;
    const shown = (await memory.explore_memory({ id })).memory.content;
    if (shown !== escaped(content)) {
      const at = [...shown].findIndex((letter, index) => letter !== [...escaped(content)][index]);
      assert.fail(`the core: ${[...shown].slice(at - 20, at + 20).join('')}`);
    }
    assert.equal(unescaped(shown), content);
    await memory.memory_forget({ id });
  };
  for (const code of codePoints()) {
    const letter = String.fromCodePoint(code);
    if (isNear(code)) for (const before of BEFORE) for (const after of AFTER) text += `${before}${letter}${after}`;
    else text += `a${letter}`;
    if (text.length > MAX_CHARACTERS) await compare();
  }
  await compare();
});
