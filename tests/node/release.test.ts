/** The files for installation: the plugin, server.json and the README's links. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { assertAnswered, DEPLOYS, onUnix, QUESTION, Setting } from './support/hook-server.ts';
import { PACKAGE as NODE, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

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

/** The program of the plugin's hooks. */
const HOOK = join(NODE, 'plugin', 'hooks', 'hook.cjs');

/**
 * A program `npx` in a folder of its own: it prints its arguments, its input and its options in variables as JSON, and
 * ends with `code`.
 */
function fakeNpx(code: number): Readonly<Record<string, string>> {
  const folder = temporaryFolder();
  const given = '[process.env.LIMBIC_DB, process.env.LIMBIC_USER, process.env.LIMBIC_ASSISTANT_MARKS]';
  const output = `JSON.stringify([process.argv.slice(2), require('node:fs').readFileSync(0, 'utf8'), ${given}])`;
  const script = `#!/usr/bin/env node\nprocess.stdout.write(${output});\nprocess.exitCode = ${code};\n`;
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 });
  return { PATH: `${folder}${delimiter}${process.env['PATH']}` };
}

test('the hooks of the plugin start npx only if no server answers', onUnix, async (t) => {
  const setting = new Setting();
  const env = { ...setting.env, LIMBIC_DB: setting.db };
  const input = JSON.stringify({ cwd: setting.folder, ...QUESTION });
  const hook = (code: number, ...args: string[]): Ran => {
    const ran = run(['user-prompt-submit', ...args], { program: HOOK, input, env: { ...env, ...fakeNpx(code) } });
    return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  };
  assert.deepEqual(hook(0), { status: 0, stdout: '', stderr: '' }, 'without a database there is nothing to read');
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  assertAnswered(hook(0), /Deploys run/);
  await server.leave();
  const called = [['-y', `limbic-memory@${read('package.json').version}`, 'hook', 'user-prompt-submit'], input];
  const plain = [...called, [setting.db, null, null]];
  assert.deepEqual(hook(0), { status: 0, stdout: JSON.stringify(plain), stderr: '' });
  const other = join(setting.folder, 'an other.db');
  writeFileSync(other, '');
  const withOptions = [...called, [other, 'a "b"', '1']];
  const options = ['--db', other, '--user', 'a "b"', '--assistant-marks'];
  assert.deepEqual(hook(0, ...options), { status: 0, stdout: JSON.stringify(withOptions), stderr: '' });
  const failed = hook(3);
  assert.equal(failed.status, 0);
  assert.match(failed.stderr, /the hook user-prompt-submit did nothing: npx -y limbic-memory@\S+ ended with 3/);
});

test('the plugin runs existing hooks, and each skill has the name of its folder', () => {
  const { hooks } = read('plugin/hooks/hooks.json');
  assert.ok(Object.keys(hooks).length >= 5);
  for (const [event, entries] of Object.entries(hooks)) {
    const { command = '' } = entries[0]?.hooks[0] ?? {};
    const [, path = '', hook = ''] = /^node "\$\{CLAUDE_PLUGIN_ROOT\}\/(\S+)" (\S+)$/.exec(command) ?? [];
    assert.equal(join(NODE, 'plugin', path), HOOK, event);
    const { stderr, status } = run([hook, '--db', join(NODE, 'no', 'such.db')], {
      program: HOOK,
      input: '{"transcript_path": "/no/such/file"}',
    });
    assert.equal(status, 0, event);
    assert.doesNotMatch(stderr, /must be one of|ended with/, event);
  }
  const skills = readdirSync(join(NODE, 'plugin', 'skills'));
  assert.deepEqual(skills.toSorted(), ['recall', 'remember', 'tidy']);
  for (const skill of skills) {
    const path = join(NODE, 'plugin', 'skills', skill, 'SKILL.md');
    assert.ok(existsSync(path));
    const text = readFileSync(path, 'utf8');
    const [, name, description = ''] = /^---\nname: (\S+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
    assert.equal(name, skill);
    // Clients of protocol 2026-07-28, Claude Code among them, are not offered `select_domain`.
    if (skill !== 'tidy') assert.match(text, /`domain` with each call/, skill);
    assert.doesNotMatch(description, /: /, 'a colon with a blank is a key in YAML');
  }
});
