/** `limbic-memory export --html`: the contents of the page. tests/browser covers its behaviour. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sizeWarning } from '../../node/src/page-size.ts';
import { connect } from './support/client.ts';
import { query } from './support/inspect.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

const MAX_SAMPLE_BYTES = 6_600_000;
const SAMPLE = join(PACKAGE, '..', 'web', 'sample', 'build.mjs');
const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!--<script>',
  ']]>',
  '@memory@',
  '@core@',
  '$& $1',
  '\u2028"\\',
  'é🍨',
  '\\u003c',
];
/** Skipped if the explorer has not been built. */
const skip = !existsSync(join(PACKAGE, 'dist', 'standalone.html')) && 'this build has no page';

function runExport(...args: string[]): Ran {
  return run(['export', ...args]);
}

/** The content of an element of the page. */
function contentOf(page: string, id: 'core' | 'memory'): Buffer {
  const [, text = ''] =
    new RegExp(`<script type="application/gzip" id="${id}">([A-Za-z0-9+/=]*)</script>`).exec(page) ?? [];
  return gunzipSync(Buffer.from(text, 'base64'));
}

/** The first column of the result of a query on the memory of a page. */
async function column(page: string, statement: string): Promise<unknown[]> {
  return (await query(contentOf(page, 'memory'), statement)).map(([value]) => value);
}

async function memory(t: TestContext, ...entities: object[]): Promise<string> {
  const db = join(temporaryFolder(), 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_entities', { entities });
  await session.ask('add_reflection', { target_type: 'global', author: 'sofia', content: 'on all of it' });
  await session.ask('search_semantic', { query: 'a question of mine' });
  await session.leave();
  return db;
}

test('invalid uses of --html are reported with exit code 2', () => {
  const mistakes: readonly [args: string[], says: RegExp][] = [
    [['--html'], /--html needs a value/],
    [['--html', 'x', '--out', 'y'], /--html and --out cannot be combined/],
    [['--html', 'x', '--format', 'jsonl'], /--html and --format cannot be combined/],
    [['--out', 'x', '--types', 'Person'], /--types requires --html/],
    [['--html', 'x', '--types', ' , '], /--types needs a value/],
    [['--html', 'x', '--db', join(temporaryFolder(), 'none.db')], /the database to export does not exist/],
  ];
  for (const [args, says] of mistakes) {
    const { status, stdout, stderr } = runExport(...args);
    assert.deepEqual([status, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, says);
  }
  for (const args of [['export', '--help'], ['--help']]) {
    assert.match(run(args).stdout, /export --html FILE/);
  }
});

test('stored text can neither end its element nor become markup', { skip }, async (t) => {
  const db = await memory(t, ...HOSTILE.map((name) => ({ name, entityType: name, observations: [`of ${name}`] })));
  const file = join(temporaryFolder(), 'memory.html');
  const { status, stdout, stderr } = runExport('--db', db, '--html', file);
  assert.deepEqual([status, stdout], [0, ''], stderr);
  assert.match(stderr, new RegExp(`exported \\d+ records, ${statSync(file).size} bytes`));
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  const page = readFileSync(file, 'utf8');
  assert.deepEqual(
    await query(contentOf(page, 'memory'), 'SELECT name, entity_type FROM entities ORDER BY id'),
    HOSTILE.map((name) => [name, name]),
  );
  assert.deepEqual(
    await column(page, 'SELECT content FROM observations ORDER BY id'),
    HOSTILE.map((name) => `of ${name}`),
  );
});

test('the page contains the core that wrote it', { skip }, async (t) => {
  const page = runExport('--db', await memory(t, { name: 'Ada' }), '--html', '-').stdout;
  assert.ok(contentOf(page, 'core').equals(readFileSync(join(PACKAGE, 'dist', 'limbic_core_bg.wasm'))));
});

test('the policy of the page allows only its own script', { skip }, async (t) => {
  const page = runExport('--db', await memory(t, { name: 'Ada' }), '--html', '-').stdout;
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.split('; ') ?? [];
  const hashOf = (text = ''): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)];
  assert.equal(scripts.length, 1);
  assert.ok(policy.includes("default-src 'none'"), policy.join('; '));
  assert.ok(policy.includes(`script-src ${hashOf(scripts[0]?.[1])} 'wasm-unsafe-eval'`));
  assert.ok(policy.includes(`style-src ${hashOf(/<style>(.*?)<\/style>/s.exec(page)?.[1])}`));
  assert.ok(!/\b(src|href)="(?!data:)/.test(page.replace(scripts[0]?.[1] ?? '', '')), 'nothing is loaded');
});

test('a page contains only what it shows, and only the selected types', { skip }, async (t) => {
  const db = await memory(
    t,
    { name: 'Ada', entityType: 'Person', observations: ['tea'] },
    { name: 'Grace', entityType: 'Person' },
    { name: 'Atlas', entityType: 'Project', observations: ['cobol'] },
  );
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('create_relations', {
    relations: [
      { from: 'Ada', to: 'Atlas', relationType: 'works_on' },
      { from: 'Ada', to: 'Grace', relationType: 'knows' },
    ],
  });
  await session.leave();
  const all = runExport('--db', db, '--html', '-').stdout;
  assert.deepEqual(
    await column(
      all,
      'SELECT count(*) FROM entities UNION ALL SELECT count(*) FROM relations UNION ALL SELECT count(*) FROM reflections',
    ),
    [3, 2, 1],
  );
  assert.deepEqual(
    await column(all, 'SELECT count(*) FROM search_events UNION ALL SELECT count(*) FROM audit_log'),
    [0, 0],
  );
  assert.ok(!contentOf(all, 'memory').includes('a question of mine'));
  const both = runExport('--db', db, '--html', '-', '--types', 'Person, Project').stdout;
  assert.deepEqual(await column(both, 'SELECT relation_type FROM relations ORDER BY id'), ['works_on', 'knows']);
  const people = runExport('--db', db, '--html', '-', '--types', 'Person').stdout;
  assert.deepEqual(await column(people, 'SELECT relation_type FROM relations'), ['knows']);
  for (const left of ['Atlas', 'cobol', 'on all of it']) assert.ok(!contentOf(people, 'memory').includes(left), left);
  const folder = temporaryFolder();
  const { status, stderr } = runExport('--db', db, '--html', join(folder, 'memory.html'), '--types', 'Persom');
  assert.equal(status, 2);
  assert.match(stderr, /no entity of type "Persom" \(there are: Person, Project\)\n.*Did you mean "Person"\?/);
  assert.deepEqual(readdirSync(folder), [], 'nothing is left behind');
});

test('a page contains memories, with --types those that mention the selected types', { skip }, async (t) => {
  const db = await memory(t, { name: 'Ada', entityType: 'Person' }, { name: 'Atlas', entityType: 'Project' });
  const session = await connect(t, ['--db', db, '--no-model', '--toolsets', 'memory']);
  await session.ask('memory_store', {
    memories: [
      { id: 'other', content: 'Atlas is written in cobol' },
      { id: 'named', content: 'Ada prefers tea', relationships: { supports: [{ targetId: 'other' }] } },
      {
        id: 'given',
        content: 'She ships on Mondays',
        entities: ['Ada'],
        relationships: { refines: [{ targetId: 'named' }] },
      },
    ],
  });
  await session.leave();
  const ids = 'SELECT id FROM MEMORY_NODES ORDER BY timestamp, id';
  assert.deepEqual((await column(runExport('--db', db, '--html', '-').stdout, ids)).sort(), [
    'given',
    'named',
    'other',
  ]);
  const people = runExport('--db', db, '--html', '-', '--types', 'Person').stdout;
  assert.deepEqual((await column(people, ids)).sort(), ['given', 'named']);
  assert.deepEqual(await column(people, 'SELECT count(*) FROM MEMORY_EDGES'), [1]);
  assert.ok(!contentOf(people, 'memory').includes('cobol'));
});

test('an existing file is replaced only with --force, and a folder never', { skip }, async (t) => {
  const db = await memory(t, { name: 'Ada' });
  const folder = temporaryFolder();
  const file = join(folder, 'memory.html');
  writeFileSync(file, 'mine');
  assert.match(runExport('--db', db, '--html', file).stderr, /the file exists/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  assert.equal(runExport('--db', db, '--html', file, '--force').status, 0);
  const page = readFileSync(file, 'utf8');
  assert.match(page, /^<!doctype html>/);
  assert.deepEqual(await column(page, 'SELECT name FROM entities'), ['Ada']);
  assert.match(runExport('--db', db, '--html', folder, '--force').stderr, /it is a folder/);
  assert.match(runExport('--db', db, '--html', join(folder, 'no', 'x.html')).stderr, /the folder does not exist/);
});

test('a full disk leaves no partial page', { skip }, async (t) => {
  const folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status !== 0) {
    t.skip('a small disk can only be mounted by root on Linux');
    return;
  }
  t.after(() => spawnSync('umount', ['--lazy', folder]));
  const { status, stderr } = runExport('--db', await memory(t, { name: 'Ada' }), '--html', join(folder, 'memory.html'));
  assert.equal(status, 2, stderr);
  assert.match(stderr, /the disk is full/);
  assert.deepEqual(readdirSync(folder), []);
});

test('the page of the sample memory is small', { skip }, async (t) => {
  const folder = temporaryFolder();
  const [lines, db, file] = ['sample.limbic.jsonl', 'memory.db', 'memory.html'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  assert.equal(spawnSync(process.execPath, [SAMPLE, lines]).status, 0);
  const session = await connect(t, ['--db', db, '--no-model']);
  await session.ask('migrate', { source_path: lines });
  await session.leave();
  assert.equal(runExport('--db', db, '--html', file).status, 0);
  const bytes = statSync(file).size;
  assert.ok(bytes < MAX_SAMPLE_BYTES, `${bytes} bytes`);
  assert.deepEqual(await column(readFileSync(file, 'utf8'), 'SELECT count(*) FROM entities'), [306]);
});

test('a page with a credential causes a warning with the number of records', { skip }, async (t) => {
  const folder = temporaryFolder();
  const db = join(folder, 'memory.db');
  const session = await connect(t, ['--db', db, '--no-model', '--compat', 'server-memory']);
  const entities = [
    { name: 'Ada', entityType: 'person', observations: ['password=q8ZrT2kLmP0vXw', 'Lives in Porto'] },
    { name: 'Porto', entityType: 'place', observations: [] },
  ];
  await session.ask('create_entities', { entities });
  await session.leave();
  const { stderr } = runExport('--db', db, '--html', join(folder, 'all.html'));
  assert.match(stderr, /1 record contains what looks like a credential \(observation 1\)/);
  assert.doesNotMatch(stderr, /q8ZrT2kLmP0vXw/);
  const places = runExport('--db', db, '--html', join(folder, 'places.html'), '--types', 'place');
  assert.equal(places.status, 0, places.stderr);
  assert.doesNotMatch(places.stderr, /credential/);
});

test('a large page causes a warning that suggests --types', () => {
  assert.equal(sizeWarning(25_000_000, undefined), undefined);
  assert.match(
    sizeWarning(31_440_000, undefined) ?? '',
    /^the page has 31\.4 MB\. Above 25 MB a page opens slowly.* --types A,B writes a page with only entities of these types; --ui /,
  );
  assert.match(sizeWarning(25_000_001, ['Person']) ?? '', /--types with fewer types/);
});
