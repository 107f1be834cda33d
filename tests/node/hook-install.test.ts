/** `limbic-memory hook install` changes nothing in the settings but the hooks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withItem } from '../../node/src/json-edit.ts';
import { temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

interface Settings {
  readonly hooks: Record<string, { readonly hooks: readonly { readonly command: string }[] }[]>;
}

function project(text?: string | Uint8Array): { readonly folder: string; readonly path: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.claude'));
  const path = join(folder, '.claude', 'settings.json');
  if (text !== undefined) writeFileSync(path, text);
  return { folder, path };
}

function install(folder: string): Ran {
  return run(['hook', 'install', '--yes'], { cwd: folder });
}

test('other settings are kept as they are written', () => {
  const kept =
    '{\n\t"big": 12345678901234567890, "one": 1.0, "e": 1E2,\n\t"a": "\\u0041\\/", "a": [ ],\n\n\t"b": {"}": "]"}';
  for (const [before, start, end] of [
    [`${kept}\n}\n`, `${kept},\n\t"hooks": {`, '\n}\n'],
    [`${kept} }`, `${kept},\n\t"hooks": {`, '\n}'],
    [`${kept},\n\t"hooks": {}\n}`, `${kept},\n\t"hooks": {\n\t\t"SessionStart": [`, '\n\t}\n}'],
    [
      `${kept},\n\t"hooks": { "Stop": [ 1.0 ] }\n}`,
      `${kept},\n\t"hooks": { "Stop": [ 1.0 ],\n\t\t"Session`,
      '\n\t}\n}',
    ],
    ['{"hooks": 1, "hooks": {}}', '{"hooks": 1, "hooks": {\n    "SessionStart": [', '\n  }}'],
    ['{}', '{\n  "hooks": {', '\n}'],
    ['{\r\n "x": 1\r\n}\r\n', '{\r\n "x": 1,\r\n "hooks": {\r\n  "SessionStart": [\r\n', '\r\n}\r\n'],
  ] as const) {
    const { folder, path } = project(before);
    const { status, stderr } = install(folder);
    assert.equal(status, 0, stderr);
    const after = readFileSync(path, 'utf8');
    assert.equal(after.slice(0, start.length), start);
    assert.equal(after.slice(-end.length), end);
    const { hooks } = JSON.parse(after) as Settings;
    assert.match(hooks['SessionEnd']?.[0]?.hooks[0]?.command ?? '', /hook\.cjs" session-end$/, after);
    if (before.includes('\r')) assert.doesNotMatch(after, /[^\r]\n/);
    assert.match(install(folder).stdout, /Nothing to do/);
    assert.equal(readFileSync(path, 'utf8'), after);
  }
});

test('items are added to lists that have some, are empty, null or missing', () => {
  for (const [before, after] of [
    ['{"a": {"b": [1.0, {"c": "]"}]}}', '{"a": {"b": [1.0, {"c": "]"},\n      7\n    ]}}'],
    ['{"a": {"b": [\n1\n]}}', '{"a": {"b": [\n1,\n      7\n]}}'],
    ['{"a": {"b": [ ]}}', '{"a": {"b": [\n      7\n    ]}}'],
    ['{"a": {"b": null}}', '{"a": {"b": [\n      7\n    ]}}'],
    ['{"a": {"b": [1]}, "\\u0061": {"b": [2]}}', '{"a": {"b": [1]}, "\\u0061": {"b": [2,\n      7\n    ]}}'],
  ] as const) {
    assert.equal(withItem(before, ['a', 'b'], 7), after);
  }
});

test('long strings and deep lists are kept', () => {
  const before = `{"a": "${'\\\\\\"'.repeat(2_000_000)}", "b": ${'['.repeat(90_000)}${']'.repeat(90_000)}}`;
  assert.equal(withItem(before, ['c'], 7), `${before.slice(0, -1)},\n  "c": [\n    7\n  ]\n}`);
});

test('settings that cannot be changed are refused with the reason, and kept', () => {
  for (const [text, says] of [
    ['{"hooks": {"SessionStart": [null]}}', /its hooks for SessionStart must be a list of JSON objects/],
    ['{"hooks": {"SessionEnd": [{"hooks": [null]}]}}', /its hooks for SessionEnd must be a list of JSON objects/],
    ['{"hooks": {"SessionEnd": {}}}', /its hooks for SessionEnd must be a list/],
    ['{"hooks": null}', /its "hooks" must be a JSON object/],
    ['[]', /it is not a JSON object/],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /it is not UTF-8/],
  ] as const) {
    const { folder, path } = project(text);
    const { status, stderr } = install(folder);
    assert.equal(status, 2, stderr);
    assert.match(stderr, says);
    assert.deepEqual(readFileSync(path), Buffer.from(text));
  }
  const { folder, path } = project();
  mkdirSync(path);
  assert.match(install(folder).stderr, /was not changed: it is not a regular file/);
});

test('a database that hooks cannot open is refused', () => {
  const { folder, path } = project('{}');
  const env = { LIMBIC_DB: 'postgres://ada@db.example/team' };
  const refused = run(['hook', 'install', '--yes'], { cwd: folder, env });
  assert.equal(refused.status, 2, refused.stderr);
  assert.match(refused.stderr, /LIMBIC_DB is the address of a memory in PostgreSQL, .* name a file/);
  assert.equal(readFileSync(path, 'utf8'), '{}');
  const named = run(['hook', 'install', '--yes', '--db', join(folder, 'memory.db')], { cwd: folder, env });
  assert.equal(named.status, 0, named.stderr);
});

test('a link in a circle and a pipe are refused', { skip: process.platform === 'win32' }, () => {
  const circle = project();
  symlinkSync('settings.json', circle.path);
  for (const args of [[], ['--yes']]) {
    const { status, stderr } = run(['hook', 'install', ...args], { cwd: circle.folder });
    assert.equal(status, 2);
    assert.match(stderr, /was not changed: it is a link that leads in a circle/);
  }
  const pipe = project();
  assert.equal(spawnSync('mkfifo', [pipe.path]).status, 0);
  const { status, stderr } = install(pipe.folder);
  assert.equal(status, 2);
  assert.match(stderr, /was not changed: it is not a regular file/);
});

test('the owner of the settings is kept', { skip: process.getuid?.() !== 0 }, () => {
  const { folder, path } = project('{}');
  chownSync(path, 4711, 4712);
  chmodSync(path, 0o640);
  const { status, stderr } = install(folder);
  assert.equal(status, 0, stderr);
  const { uid, gid, mode } = statSync(path);
  assert.deepEqual([uid, gid, mode & 0o777], [4711, 4712, 0o640]);
  assert.deepEqual(readdirSync(join(folder, '.claude')), ['settings.json']);
});
