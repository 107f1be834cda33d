/** Files that clients over HTTP may import. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CodeHost } from '../../node/src/core/code-host.ts';
import { openFolder } from '../../node/src/core/folder-source.ts';
import { ImportBounds, NOT_IMPORTABLE } from '../../node/src/core/import-bounds.ts';
import { openSource } from '../../node/src/core/source.ts';
import { isOnKnownComputer } from '../../node/src/core/unc-path.ts';
import { temporaryFolder } from './support/places.ts';

test('an opened file outside of the folder is refused, whatever its path was', (t) => {
  const root = realpathSync.native(temporaryFolder());
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  for (const folder of [inside, outside]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.jsonl'), 'a');
  }
  const bounds = new ImportBounds(inside);
  closeSync(bounds.open(join(inside, 'a.jsonl')));
  assert.throws(() => bounds.open(join(outside, 'a.jsonl')), new Error(NOT_IMPORTABLE));
  // As if a folder had been replaced by a link between the check of a path and its opening.
  const other = openSync(join(outside, 'a.jsonl'), 'r');
  t.after(() => closeSync(other));
  assert.equal(bounds.holds(other, join(inside, 'a.jsonl')), false);
  if (process.platform !== 'win32') {
    symlinkSync(outside, join(inside, 'link'));
    assert.throws(() => bounds.open(join(inside, 'link', 'a.jsonl')), new Error(NOT_IMPORTABLE));
  }
  assert.throws(() => bounds.open(inside), /not a regular file/);
});

test('links that lead nowhere are left out of a folder', { skip: process.platform === 'win32' }, () => {
  const root = realpathSync.native(temporaryFolder());
  writeFileSync(join(root, 'a.md'), '# Notes');
  symlinkSync(join(root, 'missing.md'), join(root, 'dangling.md'));
  symlinkSync('loop.md', join(root, 'loop.md'));
  symlinkSync('loop', join(root, 'loop'));
  for (const bounds of [new ImportBounds(root), new ImportBounds()]) {
    const source = openFolder(root, bounds);
    assert.ok(typeof source === 'object');
    assert.deepEqual(source.files, [{ path: 'a.md', size: 7 }]);
    source.close();
  }
  assert.equal(new ImportBounds(root).include(join(root, 'missing.md')), false);
  const imports = { folder: root };
  assert.ok(typeof openSource(root, imports) === 'object');
  // Without this file, the export would be incomplete.
  symlinkSync(join(root, 'missing.json'), join(root, 'dangling.json'));
  assert.equal(openSource(root), 'there is no such file');
  // Within bounds, it is left out as one that leads outside of them.
  assert.ok(typeof openSource(root, imports) === 'object');
});

test('a client names no share of another computer, at which Windows would log in', () => {
  const local = 'C:\\imports';
  const share = '\\\\files\\team\\imports';
  for (const path of [
    'C:\\imports\\a.md',
    'D:\\x',
    '/imports/a.md',
    '\\imports\\a.md',
    'a.md',
    '..\\a.md',
    'C:a.md',
    '',
  ]) {
    assert.equal(isOnKnownComputer(path, [local]), true, path);
    assert.equal(isOnKnownComputer(path, [share]), true, path);
  }
  for (const path of [
    '\\\\evil\\share\\a.md',
    '//evil/share/a.md',
    '\\/evil/share/a.md',
    ' \\\\evil\\share\\a.md',
    '\\\\evil',
    '\\\\files\\other\\imports\\a.md',
    '\\\\files\\team\\..\\..\\..\\evil\\share',
    '\\\\?\\UNC\\evil\\share\\a.md',
    '\\\\?\\C:\\imports\\a.md',
    '\\\\.\\UNC\\evil\\share',
    '\\\\.\\pipe\\evil',
    '\\??\\UNC\\evil\\share',
  ]) {
    assert.equal(isOnKnownComputer(path, [local]), false, path);
    const isOwn = path.startsWith('\\\\files\\team\\');
    assert.equal(isOnKnownComputer(path, [local, share]), isOwn, path);
  }
  for (const path of [`${share}\\a.md`, '//FILES/Team/imports/a.md', share]) {
    assert.equal(isOnKnownComputer(path, [local, share]), true, path);
    assert.equal(isOnKnownComputer(path, [local]), false, path);
  }
});

test('neither an import nor the code index looks up a share', { skip: process.platform === 'win32' }, (t) => {
  const root = realpathSync.native(temporaryFolder());
  writeFileSync(join(root, 'a.md'), '# Notes');
  const imports = { folder: root };
  const code = new CodeHost({ wasm: '', wasmMore: '' }, '');
  // Elsewhere, this is another name of the file.
  const path = `/${root}/a.md`;
  assert.ok(typeof openSource(path, imports) === 'object');
  assert.equal(code.realPath(root, path), join(root, 'a.md'));
  const system = process.platform;
  t.after(() => Object.defineProperty(process, 'platform', { value: system }));
  Object.defineProperty(process, 'platform', { value: 'win32' });
  assert.equal(openSource(path, imports), NOT_IMPORTABLE);
  assert.equal(openSource(` ${path}`, imports), NOT_IMPORTABLE);
  assert.throws(() => code.realPath(root, path), /another computer/);
  assert.equal(code.realPath(root, 'a.md'), join(root, 'a.md'));
  assert.equal(code.realPath(root, ''), root);
});

test('the code index reads no file to which a link leads', { skip: process.platform === 'win32' }, () => {
  const root = realpathSync.native(temporaryFolder());
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  for (const folder of [inside, outside]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.py'), folder);
  }
  // As if they had been put there after the path was checked.
  symlinkSync(outside, join(inside, 'folder'));
  symlinkSync(join(outside, 'a.py'), join(inside, 'link.py'));
  execFileSync('mkfifo', [join(inside, 'pipe.py')]);
  const code = new CodeHost({ wasm: '', wasmMore: '' }, '');
  assert.equal(Buffer.from(code.read(inside, 'a.py')).toString(), inside);
  for (const path of ['folder/a.py', 'link.py', 'pipe.py', 'folder', '../outside/a.py', 'none.py']) {
    assert.throws(() => code.read(inside, path), { kind: 'missing' }, path);
  }
  const long = 'x = 1\n'.repeat(400_000);
  writeFileSync(join(inside, 'long.py'), long);
  assert.equal(Buffer.from(code.read(inside, 'long.py')).toString(), long);
});
