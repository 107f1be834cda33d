/** The programs that `hook install` has hooks start: that of the package, and the copy where npx installed it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { assertAnswered, assertUnanswered, DEPLOYS, onUnix, QUESTION, Setting } from './support/hook-server.ts';
import { HOOK, PACKAGE, SERVER, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

interface Settings {
  readonly hooks: Record<string, { readonly hooks: readonly { readonly command: string }[] }[]>;
}

const BY_NPX = join(dirname(HOOK), 'hook-by-npx.cjs');
const VERSION = run(['--version']).stdout.trim();
const NPX_LINE = `npx -y limbic-memory@${VERSION} hook session-start`;

/** The command for the start of a session in the settings of a folder. */
function commandIn(folder: string, event = 'SessionStart'): string {
  const { hooks } = JSON.parse(readFileSync(join(folder, '.claude', 'settings.json'), 'utf8')) as Settings;
  return hooks[event]?.[0]?.hooks[0]?.command ?? '';
}

/** A folder whose package npx has installed, with a data folder and home of its own. */
class ByNpx {
  readonly folder = temporaryFolder();
  readonly data = join(this.folder, 'data');
  readonly #package = join(this.folder, '_npx', '0123');
  readonly env = {
    XDG_DATA_HOME: this.data,
    APPDATA: this.data,
    HOME: this.folder,
    USERPROFILE: this.folder,
  };
  /** The folder of the copy. */
  readonly place =
    process.platform === 'darwin'
      ? join(this.folder, 'Library', 'Application Support', 'limbic')
      : join(this.data, 'limbic');
  readonly copy = join(this.place, 'hook.cjs');

  constructor() {
    mkdirSync(dirname(this.#package));
    symlinkSync(dirname(SERVER), this.#package, 'junction');
  }

  install(...args: string[]): Ran {
    const program = join(this.#package, basename(SERVER));
    return run(['hook', 'install', ...args], { cwd: this.folder, program, env: this.env });
  }
}

test(
  'the hooks of an installed package start its small program, which asks the server or runs alone',
  onUnix,
  async (t) => {
    const setting = new Setting();
    const installed = run(['hook', 'install', '--yes', '--db', setting.db], { cwd: setting.folder });
    assert.equal(installed.status, 0, installed.stderr);
    assert.doesNotMatch(installed.stdout, /Written/);
    const command = commandIn(setting.folder, 'UserPromptSubmit');
    assert.equal(command, `"${process.execPath}" "${HOOK}" user-prompt-submit --db "${setting.db}"`);
    const input = JSON.stringify({ cwd: setting.folder, ...QUESTION });
    const asked = (): Ran =>
      spawnSync('sh', ['-c', command], { encoding: 'utf8', input, env: { ...process.env, ...setting.env } });
    const withoutCore = (): Ran =>
      run(['user-prompt-submit', '--db', setting.db], { program: setting.programWithoutCore, input, env: setting.env });
    const server = await setting.serve(t);
    await server.ask('memory_store', { content: DEPLOYS });
    assertAnswered(asked(), /Deploys run/);
    assertAnswered(withoutCore(), /Deploys run/);
    await server.leave();
    assertAnswered(asked(), /Deploys run/);
    assertUnanswered(withoutCore());
  },
);

test('the program of hooks ends with 0 whatever is wrong', () => {
  const db = join(temporaryFolder(), 'memory.db');
  for (const [args, input, says] of [
    [[], '{}', /expected the name of a hook/],
    [['install', '--yes'], '{}', /expected the name of a hook/],
    [['pre-tool-use', '--redact', 'pii'], '{}', /unknown option --redact/],
    [['no-such-hook', '--db', db], '{}', /must be one of session-start, /],
    [['session-start', '--db', db], 'garbage', /A hook needs one JSON object/],
    [['session-end', '--db', db], '{"transcript_path": "/nowhere/session.jsonl"}', /ENOENT/],
  ] as const) {
    for (const program of [HOOK, BY_NPX]) {
      const { status, stdout, stderr } = run(args, { program, input });
      assert.deepEqual([status, stdout], [0, ''], args.join(' '));
      assert.match(stderr, says);
    }
  }
});

test('what a hook prints is complete, and needs no reader', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  const input = JSON.stringify({ cwd: setting.folder, ...QUESTION });
  const spy = join(setting.folder, 'spy.cjs');
  const refused = join(setting.folder, 'refused');
  writeFileSync(
    spy,
    `const fs = require('node:fs');
     const write = fs.writeSync;
     let pieces = 0;
     fs.writeSync = (fd, bytes, start) => {
       if (pieces++ > 0) {
         fs.mkdirSync(${JSON.stringify(refused)}, { recursive: true });
         throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
       }
       return write(fd, bytes, start, 10);
     };`,
  );
  const args = ['user-prompt-submit', '--db', setting.db];
  const whole = run(args, { program: HOOK, input, env: setting.env });
  assertAnswered(whole, /Deploys run[^]*\n$/);
  const inPieces = run(args, { program: HOOK, input, env: { ...setting.env, NODE_OPTIONS: `--require ${spy}` } });
  assertAnswered(inPieces, /Deploys run/);
  assert.equal(inPieces.stdout.length, whole.stdout.length, 'a full pipe that does not block');
  assert.ok(existsSync(refused), 'the hook writes by what refuses a second piece');
  const env = { ...process.env, ...setting.env, INPUT: input };
  const line = `printf %s "$INPUT" | { "${process.execPath}" "${HOOK}" ${args[0]} --db "${setting.db}"; echo "$?" >&2; }`;
  const script = `(${line}) | true`;
  assert.equal(spawnSync('sh', ['-c', script], { encoding: 'utf8', env }).stderr, '0\n');
  if (existsSync('/dev/full')) {
    const full = spawnSync('sh', ['-c', `${line} > /dev/full`], { encoding: 'utf8', env }).stderr;
    assert.match(full, /did nothing: ENOSPC[^\n]*\n0\n$/);
  }
});

test('links to the folder of the package are kept, and that to its program is not', onUnix, () => {
  const folder = temporaryFolder();
  const package_ = join(folder, 'lib', 'limbic-memory');
  for (const name of ['lib', 'bin']) mkdirSync(join(folder, name));
  symlinkSync(PACKAGE, package_);
  symlinkSync('../lib/limbic-memory/dist/main.js', join(folder, 'bin', 'limbic-memory'));
  const { status, stderr } = run(['hook', 'install', '--yes'], {
    cwd: folder,
    program: join(folder, 'bin', 'limbic-memory'),
  });
  assert.equal(status, 0, stderr);
  assert.equal(commandIn(folder), `"${process.execPath}" "${join(package_, 'dist', 'hook.cjs')}" session-start`);
});

test('hooks installed by npx start a copy of the program that needs no package', () => {
  const by = new ByNpx();
  const shown = by.install();
  assert.equal(shown.status, 0, shown.stderr);
  assert.ok(shown.stdout.includes(`Would be written: ${by.copy}, the program that the hooks start\n`), shown.stdout);
  assert.ok(!existsSync(by.data) && !existsSync(by.place), 'a dry run writes nothing');
  const installed = by.install('--yes', '--user', 'ada');
  assert.deepEqual([installed.status, installed.stderr], [0, '']);
  assert.ok(installed.stdout.includes(`Written: ${by.copy}, the program that the hooks start\n`), installed.stdout);
  assert.equal(commandIn(by.folder), `"${process.execPath}" "${by.copy}" session-start --user "ada"`);
  assert.deepEqual(readFileSync(by.copy), readFileSync(BY_NPX));
  assert.deepEqual(readdirSync(by.place), [basename(by.copy)]);
  if (process.platform !== 'win32') {
    assert.deepEqual(
      [by.place, by.copy].map((path) => statSync(path).mode & 0o777),
      [0o700, 0o600],
    );
  }
  assert.match(by.install('--yes').stdout, /Nothing to do/);
  for (const spoil of [(): void => rmSync(by.copy), (): void => writeFileSync(by.copy, 'of another version')]) {
    spoil();
    const before = existsSync(by.copy);
    assert.ok(by.install().stdout.startsWith(`Would be written: ${by.copy}`));
    assert.equal(existsSync(by.copy), before);
    assert.ok(by.install('--yes').stdout.startsWith(`Written: ${by.copy}`));
    assert.deepEqual(readFileSync(by.copy), readFileSync(BY_NPX));
  }
  if (process.platform === 'win32') return;
  rmSync(by.copy);
  chmodSync(by.place, 0o777);
  const { status, stderr } = by.install('--yes');
  assert.equal(status, 2);
  assert.match(stderr, /hook\.cjs, which the hooks start, cannot be written: .*Remove the hooks from .*settings\.json/);
});

test('the copy starts npx with the same version and options if no server answers', onUnix, () => {
  const by = new ByNpx();
  const db = join(by.folder, 'memory.db');
  writeFileSync(db, '');
  assert.equal(by.install('--yes', '--db', db).status, 0);
  const npx = '#!/bin/sh\nprintf "%s " "$PWD" "$@" "$LIMBIC_DB"; cat\n';
  writeFileSync(join(by.folder, 'npx'), npx, { mode: 0o755 });
  const env = { ...process.env, ...by.env, PATH: `${by.folder}${delimiter}${process.env['PATH']}` };
  // npx prefers a package of the working directory, which is that of a repository.
  const cwd = temporaryFolder();
  const { stdout, stderr } = spawnSync('sh', ['-c', commandIn(by.folder)], { encoding: 'utf8', input: '{}', env, cwd });
  const home = realpathSync(by.folder);
  assert.deepEqual([stdout, stderr], [`${home} -y limbic-memory@${VERSION} hook session-start ${db} {}`, '']);
});

test('where the copy cannot be kept safely, npx starts the hooks', onUnix, () => {
  for (const [prepare, says] of [
    [(by: ByNpx): void => writeFileSync(by.data, ''), /EEXIST|ENOTDIR/],
    [(by: ByNpx): void => void mkdirSync(by.copy, { recursive: true, mode: 0o700 }), /EISDIR|ENOTEMPTY|EEXIST/],
    [
      (by: ByNpx): void => {
        mkdirSync(by.place, { recursive: true });
        chmodSync(by.place, 0o777);
      },
      /belongs to another user, or others may write to it/,
    ],
    [
      (by: ByNpx): void => {
        mkdirSync(by.place, { recursive: true, mode: 0o700 });
        chmodSync(dirname(by.place), 0o777);
      },
      /belongs to another user, or others may write to it/,
    ],
  ] as const) {
    const by = new ByNpx();
    prepare(by);
    const { status, stdout, stderr } = by.install('--yes');
    assert.equal(status, 0, stderr);
    assert.match(stderr, /the program of the hooks cannot be kept \(.*\), so npx starts them/);
    assert.match(stderr, says);
    assert.doesNotMatch(stdout, /Written/);
    assert.equal(commandIn(by.folder), NPX_LINE);
    if (existsSync(by.place)) assert.ok(readdirSync(by.place).every((name) => name === basename(by.copy)));
  }
});

test('hooks are recognised whatever starts them, and those of other programs are not', () => {
  const events = Object.entries({
    SessionStart: 'session-start',
    UserPromptSubmit: 'user-prompt-submit',
    PreCompact: 'pre-compact',
    SessionEnd: 'session-end',
    PreToolUse: 'pre-tool-use',
    PostToolUse: 'post-tool-use',
    PostToolUseFailure: 'post-tool-use',
  });
  const installedOver = (start: string): Ran => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.claude'));
    const hooks = Object.fromEntries(
      events.map(([event, hook]) => [event, [{ hooks: [{ type: 'command', command: `${start} ${hook} --db "m"` }] }]]),
    );
    writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    return run(['hook', 'install'], { cwd: folder });
  };
  for (const start of [
    '"/usr/bin/node" "/opt/x/dist/main.js" hook',
    'npx -y limbic-memory@0.0.9 hook',
    'limbic-memory hook',
    '"/usr/bin/node" "/opt/limbic-memory/dist/hook.cjs"',
    '"C:\\node.exe" "C:\\limbic-memory\\dist\\hook.cjs"',
    `"/usr/bin/node" '/data/limbic/hook.cjs'`,
    'node /opt/limbic/plugin/hooks/hook.cjs',
  ]) {
    assert.match(installedOver(start).stdout, /^Nothing to do/, start);
  }
  for (const start of [
    'node ~/.claude/hooks/hook.cjs',
    'node /opt/limbic/x/.claude/hooks/webhook.cjs',
    'node "/opt/limbic/my-hook.cjs"',
    'node /opt/other/dist/hook.cjs',
    'node /opt/x/dist/other-hook.mjs',
    'other hook',
  ]) {
    assert.match(installedOver(start).stdout, /^Would be added/, start);
  }
});

test('the package contains the program of the plugin', () => {
  assert.deepEqual(readFileSync(BY_NPX), readFileSync(join(PACKAGE, 'plugin', 'hooks', 'hook.cjs')));
});
