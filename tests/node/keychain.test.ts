/** The keychains of all systems, with programs in place of theirs that keep secrets in files. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { dpapi } from '../../node/src/dpapi.ts';
import { keychainOf } from '../../node/src/keychain.ts';
import { temporaryFolder } from './support/places.ts';

const ACCOUNT = '/srv/ada lovelace/memory.db';
const [FIRST, SECOND] = ['a first secret', 'a second secret'];

/** Writes down its arguments; "encrypts" by reversing, and fails where a file tells it to. */
const POWERSHELL = `#!/bin/sh
echo "$*" >> "$0.arguments"
if [ -e "$0.fails" ]; then cat >&2; exit 1; fi
case "$*" in
*::Protect*) rev | base64 ;;
*::Unprotect*) base64 -d | rev ;;
esac
`;

/** Writes down its arguments; an item is a file. */
const SECURITY = `#!/bin/sh
echo "$*" >> "$0.arguments"
case "$1" in
-i) sed 's/.* -w //' > "$0.item" ;;
find-generic-password) if [ -e "$0.item" ]; then cat "$0.item"; else exit 44; fi ;;
delete-generic-password) rm -f "$0.item" ;;
esac
`;

const searched = process.env['PATH'];
let tools = '';

beforeEach(() => {
  tools = temporaryFolder();
  process.env['PATH'] = `${tools}:${searched}`;
});
after(() => {
  process.env['PATH'] = searched;
});

function install(name: string, text: string): string {
  const program = join(tools, name);
  writeFileSync(program, text);
  chmodSync(program, 0o755);
  return program;
}

const options = { skip: process.platform === 'win32' ? 'the programs are shell scripts' : false };

test('DPAPI keeps a key in a file that is not plain, and in no argument', options, () => {
  const [program, folder] = [install('powershell', POWERSHELL), join(temporaryFolder(), 'keys')];
  const keychain = dpapi(folder);
  assert.ok(keychain.exists());
  assert.equal(keychain.find(ACCOUNT), undefined);
  keychain.store(ACCOUNT, FIRST);
  keychain.store(`next:${ACCOUNT}`, SECOND);
  assert.deepEqual([keychain.find(ACCOUNT), keychain.find(`next:${ACCOUNT}`)], [FIRST, SECOND]);
  keychain.store(ACCOUNT, SECOND);
  assert.equal(keychain.find(ACCOUNT), SECOND);
  const files = readdirSync(folder);
  assert.equal(files.length, 2);
  for (const file of files) assert.ok(!readFileSync(join(folder, file), 'utf8').includes('secret'), file);
  assert.ok(existsSync(keychain.removal(ACCOUNT).replace('delete ', '')));
  keychain.forget(`next:${ACCOUNT}`);
  keychain.forget(`next:${ACCOUNT}`);
  assert.deepEqual([keychain.find(`next:${ACCOUNT}`), readdirSync(folder).length], [undefined, 1]);
  const words = readFileSync(`${program}.arguments`, 'utf8');
  assert.ok(words.includes('-NoProfile') && !words.includes('secret') && !words.includes('"'), words);
});

test('DPAPI that fails keeps the earlier key, and its error repeats no secret', options, () => {
  const [program, folder] = [install('powershell', POWERSHELL), join(temporaryFolder(), 'keys')];
  const keychain = dpapi(folder);
  keychain.store(ACCOUNT, FIRST);
  writeFileSync(`${program}.fails`, '');
  for (const call of [(): unknown => keychain.store(ACCOUNT, SECOND), (): unknown => keychain.find(ACCOUNT)]) {
    assert.throws(call, (error: Error) => /LIMBIC_KEY_FILE/.test(error.message) && !error.message.includes('secret'));
  }
  rmSync(`${program}.fails`);
  assert.equal(keychain.find(ACCOUNT), FIRST);
  assert.equal(readdirSync(folder).length, 1);
  rmSync(program);
  process.env['PATH'] = tools;
  assert.equal(keychain.exists(), false);
  assert.throws(() => keychain.store(ACCOUNT, SECOND), /there is no keychain/);
});

test('the keychain of macOS keeps a key, and in no argument', options, () => {
  const program = install('security', SECURITY);
  const keychain = keychainOf('darwin');
  assert.equal(keychain.find(ACCOUNT), undefined);
  keychain.store(ACCOUNT, FIRST);
  assert.equal(keychain.find(ACCOUNT), FIRST);
  assert.throws(() => keychain.store('/a "quoted" path', SECOND), /characters/);
  keychain.forget(ACCOUNT);
  assert.equal(keychain.find(ACCOUNT), undefined);
  assert.ok(!readFileSync(`${program}.arguments`, 'utf8').includes('secret'));
});
