import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { initSync, recovery_phrase } from 'limbic-pkg/core/limbic_core.js';
import { FileHostError } from '../../node/src/file-host.ts';
import { createKeyFile, moveToFree, promoteKeyFile, readKeyFile } from '../../node/src/key-file.ts';
import { PASSPHRASE, passphraseOf } from '../../node/src/passphrase.ts';
import { refusal } from '../../node/src/protected.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const phrase = (digit: string): string => Array.from({ length: 14 }, () => digit.repeat(4)).join('-');
const [FIRST, SECOND, THIRD] = [phrase('A'), phrase('B'), phrase('C')];

/** The core compares keys in all of their forms; here they have one. */
const phraseOf = (text: string): string => text.trim();

before(() => {
  initSync({ module: readFileSync(join(PACKAGE, 'dist', 'limbic_core_bg.wasm')) });
});

test('where there are no hard links, a file that is there is not replaced, and a free name is taken', () => {
  const folder = temporaryFolder();
  const [from, to] = ['from', 'to'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(from, FIRST);
  // Another program creates the file after it was looked for.
  const link = (): never => {
    writeFileSync(to, SECOND);
    throw new FileHostError('unsupported', 'there are no hard links');
  };
  assert.throws(() => moveToFree(from, to, link), /EEXIST/);
  assert.deepEqual(
    [from, to].map((path) => readFileSync(path, 'utf8')),
    [FIRST, SECOND],
  );
  const free = join(folder, 'free');
  moveToFree(from, free, () => {
    throw new FileHostError('unsupported', 'there are no hard links');
  });
  assert.equal(readFileSync(free, 'utf8'), FIRST);
  assert.equal(existsSync(from), false);
});

test('a key file is created whole, and never in place of another one', () => {
  const path = join(temporaryFolder(), 'key');
  createKeyFile(path, FIRST, path);
  assert.equal(readKeyFile(path)?.trim(), FIRST);
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.throws(() => createKeyFile(path, SECOND, path), /cannot be used/);
  assert.equal(readKeyFile(path)?.trim(), FIRST);
  assert.deepEqual(readdirSync(join(path, '..')), ['key']);
});

test('the next key takes the place of the present one, which is kept', () => {
  const path = join(temporaryFolder(), 'key');
  createKeyFile(path, FIRST, path);
  assert.throws(() => promoteKeyFile(path, SECOND, phraseOf), /holds another key/);
  createKeyFile(`${path}.new`, SECOND, path);
  assert.equal(promoteKeyFile(path, SECOND, phraseOf), `${path}.old`);
  // Another program has finished it.
  assert.equal(promoteKeyFile(path, SECOND, phraseOf), undefined);
  createKeyFile(`${path}.new`, THIRD, path);
  assert.equal(promoteKeyFile(path, THIRD, phraseOf), `${path}.old.2`);
  const kept = ['', '.old', '.old.2'].map((suffix) => readKeyFile(`${path}${suffix}`)?.trim());
  assert.deepEqual(kept, [THIRD, FIRST, SECOND]);
  assert.equal(existsSync(`${path}.new`), false);
});

test('an export replaces no key and no copy of an encrypted database', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  createKeyFile(at('elsewhere'), recovery_phrase('ab'.repeat(32)), at('elsewhere'));
  // Fourteen words of four letters.
  writeFileSync(at('words.txt'), Array.from({ length: 14 }, () => 'word').join(' '));
  const random = crypto.getRandomValues(new Uint8Array(8192));
  writeFileSync(at('copy.db'), random);
  writeFileSync(at('notes.txt'), 'notes');
  process.env['LIMBIC_KEY_FILE'] = at('key');
  try {
    for (const name of ['key', 'key.new', 'key.old', 'key.old.2', 'elsewhere', 'copy.db']) {
      assert.match(refusal(at(name), at('memory.db')) ?? '', /would be lost/, name);
    }
    for (const name of ['notes.txt', 'words.txt', 'keys', 'none'])
      assert.equal(refusal(at(name), at('memory.db')), undefined, name);
  } finally {
    delete process.env['LIMBIC_KEY_FILE'];
  }
  assert.deepEqual(new Uint8Array(readFileSync(at('copy.db'))), random);
});

test('an empty key file and one that is too long are refused by name', () => {
  const path = join(temporaryFolder(), 'key');
  writeFileSync(path, '', { mode: 0o600 });
  assert.throws(
    () => readKeyFile(path),
    (error: Error) => error.message.includes(`delete ${path}`),
  );
  const passphrase = (): string | undefined => passphraseOf(PASSPHRASE, { LIMBIC_PASSPHRASE_FILE: path });
  writeFileSync(path, 'a'.repeat(4096));
  assert.equal(passphrase()?.length, 4096);
  writeFileSync(path, 'a'.repeat(4097));
  assert.throws(passphrase, /LIMBIC_PASSPHRASE_FILE .* longer than 4,096 bytes/);
});

test('a passphrase reaches the core as it is, or is refused', () => {
  const path = join(temporaryFolder(), 'passphrase');
  writeFileSync(path, '\u{feff}some words\n', { mode: 0o600 });
  assert.equal(passphraseOf(PASSPHRASE, { LIMBIC_PASSPHRASE_FILE: path }), '\u{feff}some words\n');
  assert.throws(
    () => passphraseOf(PASSPHRASE, { LIMBIC_PASSPHRASE: 'l\u{fffd}opard' }),
    /LIMBIC_PASSPHRASE is not UTF-8/,
  );
});
