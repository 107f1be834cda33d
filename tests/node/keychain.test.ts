/** The keychains of all systems, with programs in place of theirs that keep secrets in files. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { dpapi, powershell } from '../../node/src/dpapi.ts';
import { storedKey } from '../../node/src/key-source.ts';
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

/** Writes down its environment; an item is a file of the account's digest. Ends as a file tells it to. */
const SECRET_TOOL = `#!/bin/sh
env >> "$0.environment"
if [ -e "$0.killed" ]; then kill -9 $$; fi
action=$1
while [ $# -gt 1 ]; do shift; done
item="$0.$(printf %s "$1" | cksum | tr ' ' -).item"
case "$action" in
store) cat > "$item" ;;
lookup) if [ -e "$item" ]; then cat "$item"; else exit 1; fi ;;
clear) rm -f "$item" ;;
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
const keychainOfLinux = { skip: process.platform === 'linux' ? false : 'another keychain is the one of the system' };

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

test('a program that is killed does not count as one that found nothing', options, () => {
  const program = install('secret-tool', SECRET_TOOL);
  const keychain = keychainOf('linux');
  assert.equal(keychain.find(ACCOUNT), undefined);
  keychain.store(ACCOUNT, FIRST);
  writeFileSync(`${program}.killed`, '');
  assert.throws(() => keychain.find(ACCOUNT), /cannot be used \(the program ended with SIGKILL\)/);
});

test('programs of the system do not inherit secrets', options, () => {
  const program = install('secret-tool', SECRET_TOOL);
  const names = ['LIMBIC_KEY', 'LIMBIC_PASSPHRASE', 'LIMBIC_NEW_PASSPHRASE', 'LIMBIC_TOKEN', 'LIMBIC_PAGE_TOKEN'];
  for (const name of names) process.env[name] = FIRST;
  try {
    keychainOf('linux').find(ACCOUNT);
  } finally {
    for (const name of names) delete process.env[name];
  }
  const environment = readFileSync(`${program}.environment`, 'utf8');
  assert.ok(environment.includes('PATH=') && !environment.includes('secret'), environment);
});

test('a next key of another rotation does not take the place of the present one', keychainOfLinux, () => {
  install('secret-tool', SECRET_TOOL);
  const database = join(temporaryFolder(), 'memory.db');
  const source = storedKey(database, {});
  const phraseOf = (text: string): string => text;
  source.store(FIRST);
  assert.throws(() => source.promote(SECOND, phraseOf), /holds another key/);
  source.storeNext('a third secret');
  assert.throws(() => source.promote(SECOND, phraseOf), /next:.* holds another key/);
  assert.equal(source.promote(FIRST, phraseOf), undefined);
  assert.deepEqual([source.read(), source.next()], [{ key: FIRST }, 'a third secret']);
  assert.match(source.promote('a third secret', phraseOf)?.place ?? '', /former:/);
  assert.deepEqual([source.read(), source.next()], [{ key: 'a third secret' }, undefined]);
});

test('PowerShell of Windows has its whole path', () => {
  const path = 'System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  assert.equal(powershell('win32', 'D:\\Windows'), `D:\\Windows\\${path}`);
  assert.equal(powershell('win32', ''), `C:\\Windows\\${path}`);
});
