/** Hooks that a running server answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { KEY_BYTES } from '../../node/src/hook-messages.ts';
import { connect, eventually, TEST_ENCODER } from './support/client.ts';
import {
  assertAnswered,
  assertUnanswered,
  DEPLOYS,
  NO_MODEL,
  onUnix,
  QUESTION,
  Setting,
} from './support/hook-server.ts';
import { query } from './support/inspect.ts';
import { type Ran, run } from './support/run.ts';

/** An output with the random mark replaced. */
function unmarked({ status, stdout, stderr }: Ran): Ran {
  return { status, stdout: stdout.replaceAll(/memories [0-9a-f]{16}>/g, 'memories>'), stderr };
}

test('without a server, a hook compares the code of a file with the index', onUnix, async (t) => {
  const setting = new Setting();
  const project = join(setting.folder, 'shop');
  const file = join(project, 'pay.py');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, 'lib'));
  const price = (factor: number): void => writeFileSync(file, `def price(x):\n    return x * ${factor}\n`);
  price(1);
  const server = await setting.serve(t, ['--toolsets', 'all', '--code-root', setting.folder]);
  await server.ask('index_project', { path: project, project_id: 'shop', wait: true });
  await server.ask('memory_store', { content: 'Prices are net', symbols: ['pay.py#price'] });
  await server.leave();
  // The server runs outside the project, so that what its clients store is from elsewhere.
  assert.equal(run(['inbox', 'trust', 'client:limbic-tests', '--db', setting.db], { env: setting.env }).status, 0);
  const state = (): string | undefined => {
    const edit = { cwd: join(project, 'lib'), tool_name: 'Edit', tool_input: { file_path: file } };
    const { stdout, stderr } = setting.hook('pre-tool-use', edit);
    assert.equal(stderr, '');
    return /\\"state\\": *\\"(\w+)/.exec(stdout)?.[1];
  };
  assert.equal(state(), 'holds');
  price(2);
  assert.equal(state(), 'changed');
  price(1);
  assert.equal(state(), 'holds');
});

test('a running server answers hooks as they answer without one', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS, category: 'decision' });
  await server.ask('memory_store', { content: 'Never push to main with --force', category: 'convention' });
  assert.equal(run(['inbox', 'trust', 'client:limbic-tests', '--db', setting.db], { env: setting.env }).status, 0);
  const transcript_path = join(setting.folder, 'session.jsonl');
  const content = '@keep convention: Run the formatter\n@keep password=Tr0ub4dor&3xKq9';
  writeFileSync(transcript_path, JSON.stringify({ type: 'user', message: { content } }));
  const push = { tool_name: 'Bash', tool_input: { command: 'git push --force origin main' } };
  const hooks = [
    ['session-start', {}],
    ['user-prompt-submit', QUESTION],
    ['user-prompt-submit', { prompt: 'How far is the moon?' }],
    ['pre-tool-use', push],
    ['post-tool-use', { ...push, tool_response: { exit_code: 1, stderr: 'no deploys on Tuesdays' } }],
    ['session-end', { transcript_path }],
    ['pre-compact', { transcript_path }],
    ['user-prompt-submit', { prompt: 7 }],
  ] as const;
  const answers = (by: (hook: string, event: object) => Ran): Ran[] =>
    hooks.map(([hook, event]) => unmarked(by(hook, event)));
  // Every hook then finds what the session has stored; its marks are confirmed after that.
  setting.served('session-end', { transcript_path });
  const served = answers((hook, event) => setting.served(hook, event));
  assert.match(served[0]?.stdout ?? '', /Run the formatter/);
  assert.match(served[1]?.stdout ?? '', /Deploys run on Tuesdays/);
  assert.match(served[5]?.stderr ?? '', /left something out: .*mark 2 may contain a secret/);
  assert.match(served[7]?.stderr ?? '', /did nothing: .*prompt must be a string/);
  await server.leave();
  assert.deepEqual(setting.files(''), [], 'socket and key are removed');
  assertUnanswered(setting.served('user-prompt-submit', QUESTION));
  assert.deepEqual(
    answers((hook, event) => setting.hook(hook, event)),
    served,
  );
});

test('what a hook stores through a server has the same origin as what it stores alone', onUnix, async (t) => {
  const origins = async (isServed: boolean): Promise<unknown[][]> => {
    const setting = new Setting();
    const transcript_path = join(setting.folder, 'session.jsonl');
    const event = { session_id: 'of the host', cwd: join(setting.folder, 'atlas'), transcript_path };
    writeFileSync(transcript_path, JSON.stringify({ type: 'user', message: { content: '@keep One file per tool' } }));
    const server = await setting.serve(t);
    await server.ask('memory_store', { content: 'before' });
    if (isServed) assert.equal(setting.served('session-end', event).stderr, '');
    else assert.equal(setting.hook('session-end', event, ['--assistant-marks']).stderr, '');
    await server.ask('memory_store', { content: 'after' });
    await server.leave();
    const columns = "kind, client, project, kind = 'client' OR session = ''";
    const rows = await query(
      readFileSync(setting.db),
      `SELECT ${columns}, (SELECT count(*) FROM MEMORY_NODES WHERE origin = origins.id) FROM origins ORDER BY kind`,
    );
    const sessions = await query(readFileSync(setting.db), "SELECT session FROM origins WHERE kind = 'hook'");
    return [...rows, ...sessions];
  };
  const served = await origins(true);
  assert.deepEqual(served, await origins(false));
  // The session of the client is not that of the hook: both of its memories have one origin.
  assert.deepEqual(
    served.filter(([kind]) => kind === 'client').map(([, , , , count]) => count),
    [2],
  );
  assert.deepEqual(
    served.filter(([kind]) => kind === 'hook').map(([, , project, , count]) => [project, count]),
    [['atlas', 1]],
  );
});

test('the socket that a killed server has left is replaced, and hooks work until then', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  const keyOf = (): string => readFileSync(join(setting.place, setting.files('.key')[0] ?? '')).toString('hex');
  const key = keyOf();
  process.kill(first.pid, 'SIGKILL');
  await eventually('hooks find no server', () => setting.served('user-prompt-submit', QUESTION).stderr !== '');
  assert.equal(setting.files('.sock').length, 1);
  assertAnswered(setting.hook('user-prompt-submit', QUESTION), /Deploys run/);
  const second = await connect(t, ['--db', setting.db, NO_MODEL], setting.env);
  await eventually('the socket is replaced', () => keyOf() !== key);
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
  await second.leave();
});

test('another server answers when the first one has ended', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  const second = await connect(t, ['--db', setting.db, NO_MODEL], setting.env);
  assert.equal(setting.files('.sock').length, 1, 'one listens');
  await first.leave();
  await setting.listening();
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
  assert.doesNotMatch(second.stderr, /hooks/);
});

test('a server answers only hooks with its own options', onUnix, async (t) => {
  const setting = new Setting();
  const everyone = await setting.serve(t);
  await everyone.ask('memory_store', { content: 'Deploys run on Mondays', user_id: 'bob' });
  await everyone.ask('memory_store', { content: DEPLOYS, user_id: 'ada' });
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Mondays/);
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, ['--user', 'ada']));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, [], { LIMBIC_REDACT: 'pii' }));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, [], { LIMBIC_SHARED_DISK: '1' }));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, [], { LIMBIC_KEY: '00' }));
  const transcript_path = join(setting.folder, 'session.jsonl');
  writeFileSync(transcript_path, '');
  assertUnanswered(setting.served('session-end', { transcript_path }, ['--assistant-marks']));
  await everyone.leave();

  const ada = await setting.serve(t, ['--user', 'ada']);
  const ofAda = setting.served('user-prompt-submit', QUESTION, ['--user', 'ada']);
  assertAnswered(ofAda, /Tuesdays/);
  assert.doesNotMatch(ofAda.stdout, /Mondays/);
  assertUnanswered(setting.served('user-prompt-submit', QUESTION));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, ['--user', 'bob']));
  await ada.leave();

  const tools = await setting.serve(t, ['--compat', 'server-memory']);
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /<memories [0-9a-f]{16}>.*Mondays/);
  await tools.leave();
  for (const restricted of [['--read-only'], ['--private-log'], ['--search-log-days', '7']]) {
    const server = await connect(t, ['--db', setting.db, NO_MODEL, ...restricted], setting.env);
    await server.client.listTools();
    assert.deepEqual(setting.files(''), [], restricted.join(' '));
    await server.leave();
  }
});

test('an encrypted database is opened by the hook alone, with its own key', onUnix, async (t) => {
  const setting = new Setting();
  const key = { LIMBIC_KEY_FILE: join(setting.folder, 'key') };
  const encrypted = run(['key', 'encrypt', '--db', setting.db], { env: { ...setting.env, ...key } });
  assert.equal(encrypted.status, 0, encrypted.stderr);
  const server = await connect(t, ['--db', setting.db, NO_MODEL], { ...setting.env, ...key });
  await setting.listening();
  await server.ask('memory_store', { content: DEPLOYS });
  assertUnanswered(setting.served('user-prompt-submit', QUESTION));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION, [], key));
  assertAnswered(setting.hook('user-prompt-submit', QUESTION, [], key), /Deploys run/);
});

test('a server with a wrong key lets the hook open the database', onUnix, async (t) => {
  const setting = new Setting();
  const first = await setting.serve(t);
  await first.ask('memory_store', { content: DEPLOYS });
  await first.leave();
  await connect(t, ['--db', setting.db, NO_MODEL], { ...setting.env, LIMBIC_KEY: 'no key' });
  await setting.listening();
  assertAnswered(setting.hook('user-prompt-submit', QUESTION), /Deploys run/);
});

test('no other user can connect or take the place of the server', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  assert.equal(statSync(setting.place).mode & 0o777, 0o700);
  for (const name of setting.files('')) assert.equal(statSync(join(setting.place, name)).mode & 0o777, 0o600, name);
  // A folder that others may enter is trusted neither by hooks nor by servers.
  chmodSync(setting.place, 0o755);
  assertUnanswered(setting.served('user-prompt-submit', QUESTION));
  assertAnswered(setting.hook('user-prompt-submit', QUESTION), /Deploys run/);
  await server.leave();
  const second = await connect(t, ['--db', setting.db, NO_MODEL], setting.env);
  await eventually('it says so', () =>
    /hooks open the database themselves: .* is accessible to others/.test(second.stderr),
  );
  assert.deepEqual(setting.files(''), []);
  assertAnswered(setting.hook('user-prompt-submit', QUESTION), /Deploys run/);
});

test('without the key nothing is answered, and messages that are too long are not read', onUnix, async (t) => {
  const setting = new Setting();
  const server = await setting.serve(t);
  await server.ask('memory_store', { content: DEPLOYS });
  const path = join(setting.place, setting.files('.sock')[0] ?? '');
  const length = (bytes: number): Buffer => Buffer.from(new Uint32Array([bytes]).buffer);
  const garbage = Buffer.from('{"hook":"session-start","input":"{}"}'.padEnd(200));
  for (const message of [
    length(0xffff_ffff),
    length(0),
    Buffer.concat([length(garbage.length), garbage]),
    Buffer.concat([length(9999), garbage]),
  ]) {
    const socket = connectTo(path);
    let answer = '';
    socket.on('data', (piece: Buffer) => {
      answer += piece.toString();
    });
    // The last one announces more than it sends.
    socket.end(message);
    await once(socket, 'close');
    assert.equal(answer, '');
  }
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
  const keyFile = join(setting.place, setting.files('.key')[0] ?? '');
  writeFileSync(keyFile, Buffer.concat([Buffer.alloc(KEY_BYTES), readFileSync(keyFile).subarray(KEY_BYTES)]));
  assertUnanswered(setting.served('user-prompt-submit', QUESTION));
});

test('a hook does not wait for a server that is busy', onUnix, async (t) => {
  const setting = new Setting();
  const server = setting.start(t, [], { LIMBIC_TEST_HANG: 'open_nodes' });
  await server.initialize();
  server.call('stored', 'memory_store', { content: DEPLOYS });
  await server.answer('stored');
  await setting.listening();
  assertAnswered(setting.served('user-prompt-submit', QUESTION), /Deploys run/);
  server.call('hanging', 'open_nodes', { names: ['x'] });
  const quick = { LIMBIC_TEST_HOOK_MILLIS: '500' };
  await eventually('it hangs', () => setting.served('user-prompt-submit', QUESTION, [], quick).stderr !== '');
  assertAnswered(setting.hook('user-prompt-submit', QUESTION, [], quick), /Deploys run/);
});

test('a server with an encoder compares a prompt by meaning', onUnix, async (t) => {
  const setting = new Setting();
  const server = await connect(t, ['--db', setting.db, '--settle', ...TEST_ENCODER], setting.env);
  for (const content of [DEPLOYS, 'The cats of the harbour sleep in boats', 'Use tabs']) {
    await server.ask('memory_store', { content });
  }
  const question = { prompt: 'deployments tuesday' };
  const recall = { query: question.prompt, detail: 'full', touch: false };
  const { mode, confident } = await server.ask('memory_recall', recall);
  assert.deepEqual({ mode, confident }, { mode: 'hybrid', confident: true });
  await setting.listening();
  assertAnswered(setting.served('user-prompt-submit', question), /Deploys run/);
  await server.leave();
  assert.deepEqual([setting.hook('user-prompt-submit', question).stdout], ['']);
});
