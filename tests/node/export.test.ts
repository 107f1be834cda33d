/** `limbic-memory export`, and its file for the reference server compared with the one that server writes. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connect } from './support/client.ts';
import { generated } from './support/compat-calls.ts';
import { PACKAGE, SERVER, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

const onUnix = { skip: process.platform === 'win32' };
const REFERENCE = join(PACKAGE, 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js');

function runExport(...args: string[]): Ran {
  return run(['export', ...args]);
}

/** Creates a database with these entities. */
async function stored(t: TestContext, db: string, args: Record<string, unknown>): Promise<void> {
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_entities', args);
  await session.leave();
}

async function reference(t: TestContext, file: string): Promise<Client> {
  const client = new Client({ name: 'limbic-tests', version: '1.0.0' });
  const env = { ...(process.env as Record<string, string>), MEMORY_FILE_PATH: file };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [REFERENCE], env, stderr: 'ignore' }),
  );
  t.after(() => client.close());
  return client;
}

test('the reference server continues from an export, which equals its own file', async (t) => {
  const folder = temporaryFolder();
  const [db, theirs, mine] = [join(folder, 'memory.db'), join(folder, 'theirs.jsonl'), join(folder, 'mine.jsonl')];
  const ours = await connect(t, ['--db', db, '--compat', 'server-memory', '--no-model']);
  const other = await reference(t, theirs);
  for (const [name, args] of generated(77, 120)) {
    await ours.call(name, args);
    await other.callTool({ name, arguments: args });
  }
  await ours.leave();
  const { status, stderr } = runExport('--db', db, '--format', 'jsonl', '--out', mine);
  assert.equal(status, 0, stderr);
  assert.ok(statSync(mine).size > 1000, 'something was made');
  assert.equal(readFileSync(mine, 'utf8'), readFileSync(theirs, 'utf8'));
  const next = await reference(t, mine);
  const graph = async (client: Client): Promise<unknown> =>
    (await client.callTool({ name: 'read_graph', arguments: {} })).structuredContent;
  assert.deepEqual(await graph(next), await graph(other));
});

test('a usage error is reported with exit code 2', () => {
  const mistakes: readonly [args: string[], says: RegExp][] = [
    [[], /--out FILE/],
    [['--out'], /--out needs a value/],
    [['--uot', 'x'], /unknown option --uot.*--out/],
    [['--out', 'x', '--read-only'], /unknown option --read-only/],
    [['--out', 'x', '--force=1'], /--force takes no value/],
    [['--out', 'x', '--format', 'jsnol'], /--format must be one of jsonl, .*but got "jsnol"\. Did you mean "jsonl"\?/],
    [['--html', 'x', '--user', 'ada'], /--user cannot be combined with --html/],
    [['memory.jsonl'], /unexpected argument "memory\.jsonl"/],
  ];
  for (const [args, says] of mistakes) {
    const { status, stdout, stderr } = runExport(...args);
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, says);
    assert.equal(stdout, '');
  }
});

test('both help texts list export', () => {
  const page = runExport('--help');
  assert.equal(page.status, 0);
  for (const option of ['--format NAME', '--out FILE', '--force', '--db PATH', 'mcp-memory-v2']) {
    assert.ok(page.stdout.includes(option), option);
  }
  const { stdout } = run(['--help']);
  assert.ok(stdout.includes('limbic-memory export --out FILE'));
});

test('a read-only database and one in use by a server can be exported', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_entities', { entities: [{ name: 'Ada', observations: ['tea'] }] });
  const shared = runExport('--db', db, '--out', '-');
  assert.equal(shared.status, 0, shared.stderr);
  assert.match(shared.stdout, /"record":"observation","entity":"Ada"/);
  await session.leave();
  chmodSync(db, 0o400);
  const locked = runExport('--db', db, '--out', '-');
  assert.equal(locked.status, 0, locked.stderr);
  assert.equal(locked.stdout, shared.stdout);
});

test('the file that an export left when it was killed stops no later one', onUnix, async (t) => {
  const folder = temporaryFolder();
  const db = join(folder, 'memory.db');
  await stored(t, db, { entities: [{ name: 'Ada', observations: ['tea'] }] });
  for (const name of ['out.jsonl', `${'n'.repeat(249)}.jsonl`]) {
    const out = join(folder, name);
    // In a container, the program has the same process id at each start. The longest names leave no room for it.
    const script = '{ touch ".$3.$$.tmp" || true; } 2>/dev/null; exec "$0" "$1" export --db "$2" --out "$3"';
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, SERVER, db, name], {
      encoding: 'utf8',
      cwd: folder,
    });
    assert.equal(status, 0, stderr);
    assert.match(readFileSync(out, 'utf8'), /"entity":"Ada"/);
  }
});

test('an export to a pipe has no file that an interruption leaves', onUnix, async (t) => {
  const folder = temporaryFolder();
  const [db, temporary] = [join(folder, 'memory.db'), join(folder, 'tmp')];
  mkdirSync(temporary);
  // More than a pipe and the stream of this process hold.
  const observations = Array.from({ length: 600 }, (_, number) => `${number} ${'lorem ipsum '.repeat(60)}`);
  await stored(t, db, { entities: [{ name: 'Ada', observations }] });
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [SERVER, 'export', '--db', db, '--out', '-'], { env });
  t.after(() => child.kill('SIGKILL'));
  // It waits for this reader after its first bytes.
  await once(child.stdout, 'readable');
  assert.deepEqual(readdirSync(temporary), []);
  child.kill('SIGINT');
  await once(child, 'exit');
  assert.deepEqual(readdirSync(temporary), []);
});
