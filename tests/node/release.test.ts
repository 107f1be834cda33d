/** The files for installation: the plugin, server.json and the README's links. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE as NODE } from './support/places.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly mcpName: string;
  readonly packages: readonly { readonly version: string }[];
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(join(NODE, path), 'utf8')) as Manifest;

test('the files for installation are up to date and valid', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(NODE, 'release.mjs'), '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('every manifest has the version and the name of the package', () => {
  const { version, mcpName } = read('package.json');
  const entry = read('server.json');
  assert.deepEqual([entry.version, entry.name, entry.packages[0]?.version], [version, mcpName, version]);
  for (const path of ['plugin/plugin.json', 'plugin/.claude-plugin/plugin.json']) {
    assert.deepEqual([read(path).version, read(path).name], [version, 'limbic']);
  }
});

test('the plugin runs existing hooks, and each skill has the name of its folder', () => {
  const { hooks } = read('plugin/hooks/hooks.json');
  const main = join(NODE, 'dist', 'main.js');
  assert.ok(Object.keys(hooks).length >= 5);
  for (const [event, entries] of Object.entries(hooks)) {
    const [, hook = ''] = / hook (\S+)$/.exec(entries[0]?.hooks[0]?.command ?? '') ?? [];
    const { stderr, status } = spawnSync(process.execPath, [main, 'hook', hook, '--db', join(NODE, 'no', 'such.db')], {
      encoding: 'utf8',
      input: '{"transcript_path": "/no/such/file"}',
    });
    assert.equal(status, 0, event);
    assert.doesNotMatch(stderr, /unknown hook/, event);
  }
  const skills = readdirSync(join(NODE, 'plugin', 'skills'));
  assert.deepEqual(skills.toSorted(), ['recall', 'remember', 'tidy']);
  for (const skill of skills) {
    const path = join(NODE, 'plugin', 'skills', skill, 'SKILL.md');
    assert.ok(existsSync(path));
    const [, name, description = ''] =
      /^---\nname: (\S+)\ndescription: (.+)\n---\n/.exec(readFileSync(path, 'utf8')) ?? [];
    assert.equal(name, skill);
    assert.doesNotMatch(description, /: /, 'a colon with a blank is a key in YAML');
  }
});
