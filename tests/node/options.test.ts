import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { expandPath } from '../../node/src/paths.ts';
import { connect, entities, namesOf } from './support/client.ts';
import { listening, somePage } from './support/http.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { type Ran, run } from './support/run.ts';

/** Arguments and environment with the expected parts of the message. */
const MISTAKES: readonly [args: string[], env: Record<string, string>, says: RegExp][] = [
  [['--redonly'], {}, /unknown option --redonly.*--read-only/],
  [['--d', 'x'], {}, /unknown option --d$/m],
  [['memory.db'], {}, /unexpected argument "memory\.db"$/m],
  [['tokens'], {}, /unexpected argument "tokens"\. Did you mean the command token\?/],
  [['modle', 'check'], {}, /unexpected argument "modle"\. Did you mean the command model\?/],
  [['--db'], {}, /--db needs a value: --db PATH/],
  [['--db', '--read-only'], {}, /--db needs a value/],
  [['--db='], {}, /--db needs a value/],
  [['--read-only=1'], {}, /--read-only takes no value/],
  [['--toolsets', 'grap'], {}, /--toolsets must be one of graph, .*all, but got "grap"\. Did you mean "graph"\?/],
  [
    ['--output-schemas', 'shor'],
    {},
    /--output-schemas must be one of full, short, none, but got "shor"\. Did you mean "short"\?/,
  ],
  [['--compat', 'server-memori'], {}, /--compat must be one of .*\. Did you mean "server-memory"\?/],
  [['--search-log-days', '-1'], {}, /--search-log-days must be a whole number from 0 to 36500, but got "-1"/],
  [['--search-log-days', '1e9'], {}, /--search-log-days must be a whole number/],
  [['--search-log-days=36501'], {}, /--search-log-days must be a whole number/],
  [[], { LIMBIC_SEARCH_LOG_DAYS: 'ninety' }, /LIMBIC_SEARCH_LOG_DAYS must be a whole number/],
  [[], { LIMBIC_REDACT: 'all' }, /LIMBIC_REDACT must be "pii", but got "all"/],
  [[], { LIMBIC_MODEL_DIMENSIONS: '9' }, /LIMBIC_MODEL_DIMENSIONS must be a multiple of 8, but got "9"/],
  [[], { LIMBIC_PRIVATE_LOG: 'perhaps' }, /LIMBIC_PRIVATE_LOG must be one of/],
  [['--test-clock', 'noon'], {}, /--test-clock must be a whole number/],
  [['--model', 'x', '--no-model'], {}, /cannot be combined/],
  [['--model-dimensions', '100'], {}, /--model-dimensions must be a multiple of 8, but got "100"/],
  [['model', 'check'], {}, /model needs an action and a folder/],
  [['model', 'inspect', 'x'], {}, /model needs an action and a folder/],
  [['--http'], {}, /--http needs a value: --http \[HOST:\]PORT/],
  [
    ['--http', 'localhost'],
    {},
    /--http must be a port up to 65535, a host and a port as in 127\.0\.0\.1:3000, or unix:PATH/,
  ],
  [
    ['--http', '::1:3000'],
    {},
    /--http must be a port up to 65535, a host and a port as in 127\.0\.0\.1:3000, or unix:PATH/,
  ],
  [['--http', '70000'], {}, /--http must be a port up to 65535/],
  [['--http', 'unix:'], {}, /--http needs a path after unix:/],
  [['--http', '0', '--public-url', 'http://memory.example'], {}, /--public-url must be an address such as https:/],
  [['--http', '0', '--public-url', 'https://memory.example/mcp'], {}, /--public-url must be .* without a path/],
  [['--ui', '70000'], {}, /--ui must be a port up to 65535/],
  [['--ui', 'page'], {}, /unexpected argument "page"/],
  [['--ui=page'], {}, /--ui \(LIMBIC_UI\).*"page"/],
  [['--http', '3000', '--ui', '3001'], {}, /two ports, 3000 and 3001/],
  [['--http', '3000', '--token', 'short'], {}, /--token needs at least 16 characters/],
  [['--http', '3000', '--token', 'with a space in it'], {}, /--token may contain only/],
  [['--http', '3000', '--token', 'an=sign=in=the=middle'], {}, /--token may contain only .* = only at the end/],
  [['--public-url', 'https://memory.example'], {}, /--public-url and --import-dir are for --http, which is missing/],
  [['--import-dir', '.'], { LIMBIC_UI: '0' }, /are for --http, which is missing/],
  [['--token', 'short'], {}, /are for --http, which is missing/],
  [['--page-token', 'a-token-of-a-page'], {}, /are for --http, which is missing/],
  [[], { LIMBIC_UI: 'perhaps' }, /LIMBIC_UI\) must be a port, or one of/],
  [[], { LIMBIC_READ_ONLY: 'perhaps' }, /LIMBIC_READ_ONLY must be one of/],
  [[], { LIMBIC_TOOLSETS: 'graph,nothing' }, /LIMBIC_TOOLSETS must be one of .* but got "nothing"/],
  [['--db', ':memory:'], {}, /--db needs a file: .*lost when this program ends/],
  [[], { LIMBIC_DB: ':memory:' }, /LIMBIC_DB needs a file/],
  [['--db', '~ada/memory.db'], {}, /--db begins with ~ada, and only ~ alone is known/],
  [['--db', '$LIMBIC_TEST_NOWHERE/memory.db'], {}, /a variable that is not set here/],
  [
    ['export', '--out', '%LIMBIC_TEST_NOWHERE%/out'],
    {},
    /--out contains %LIMBIC_TEST_NOWHERE%, a variable that is not set/,
  ],
  [['audit', '--db', ':Memory:'], {}, /--db needs a file/],
  [['export', '--out', 'x', '--db', ':memory:'], {}, /--db needs a file/],
  [['export', '--out', ':memory:'], {}, /--out needs a file/],
  [['hook', 'install', '--db', ':memory:'], {}, /--db needs a file/],
];

test('a usage error is reported with exit code 2', () => {
  for (const [args, env, says] of MISTAKES) {
    const { status, stdout, stderr } = run(args, { env });
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, says);
    assert.equal(stdout, '');
  }
});

test('--help names every option, --version the version of the package', () => {
  const help = run(['--help']);
  assert.equal(help.status, 0);
  const named = [
    '--db PATH',
    '--toolsets',
    '--output-schemas HOW',
    '--read-only',
    '--compat',
    '--search-log-days N',
    '--private-log',
    '--redact pii',
    '--model DIR',
    '--model-dimensions N',
    'model check DIR',
    '--no-model',
    '--http [HOST:]PORT',
    '--ui [PORT]',
    '--token TEXT',
    '--page-token TEXT',
    '--import-dir DIR',
    '--user ID',
    'LIMBIC_DB',
  ];
  for (const option of named) {
    assert.ok(help.stdout.includes(option), option);
  }
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  assert.equal(run(['--version']).stdout.trim(), version);
});

test('a misspelt variable causes a warning only', () => {
  const { status, stderr } = run(['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {
    env: { LIMBIC_TOOLSET: 'graph', LIMBIC_USER: 'ada' },
  });
  assert.equal(status, 0);
  assert.match(stderr, /LIMBIC_TOOLSET .*Did you mean LIMBIC_TOOLSETS/);
  assert.doesNotMatch(stderr, /LIMBIC_USER/);
});

test('paths are resolved as in the table', () => {
  const cases = JSON.parse(readFileSync(join(PACKAGE, '..', 'tests', 'files', 'paths.json'), 'utf8')) as {
    readonly env: Readonly<Record<string, string>>;
    readonly expanded: readonly (readonly [text: string, becomes: string])[];
    readonly refused: readonly (readonly [text: string, says: string])[];
  };
  for (const [text, becomes] of cases.expanded) {
    const place = becomes.replace('{home}', homedir()).replace('{here}', process.cwd());
    assert.equal(expandPath(text, '--db', cases.env), resolve(place), text);
  }
  for (const [text, says] of cases.refused) {
    assert.throws(
      () => expandPath(text, '--db', cases.env),
      ({ message }: Error) => message.includes(says),
      text,
    );
  }
});

test('an address is no path, and not repeated', () => {
  const cases = JSON.parse(readFileSync(join(PACKAGE, '..', 'tests', 'files', 'addresses.json'), 'utf8')) as {
    readonly refused: readonly string[];
    readonly paths: readonly string[];
  };
  const env = {
    LIMBIC_TEST_NAME: 'ada',
    LIMBIC_TEST_URL: 'postgres://limbic:s3cret@h/db',
    LIMBIC_TEST_LOGIN: 'limbic:s3cret',
    USER: 'ada',
  };
  for (const text of [...cases.refused, '\ufeffpostgres://limbic:s3cret@h/db']) {
    assert.throws(
      () => expandPath(text, '--db', env),
      ({ message }: Error) => message.includes('PostgreSQL') && !message.includes('cret'),
      text,
    );
  }
  for (const text of cases.paths) assert.ok(expandPath(text, '--db', env), text);
  for (const words of [
    ['postgres://limbic:s3cret@h/db'],
    ['--pg=postgres://limbic:s3cret@h/db'],
    ['check', 'limbic:s3cret@h/db'],
    ['token', 'create', 'ada', "--db='postgres://limbic:s3cret@h/db'"],
  ]) {
    const { status, stderr } = run(words);
    assert.equal(status, 2, stderr);
    assert.doesNotMatch(stderr, /s3cret/);
  }
});

test('a path may begin with the home folder or a variable', async (t) => {
  const home = temporaryFolder();
  const env = { HOME: home, USERPROFILE: home, LIMBIC_TEST_DATA: home };
  const elsewhere = temporaryFolder();
  const start = (args: string[], more: Record<string, string> = {}): Ran =>
    run(args, { cwd: elsewhere, env: { ...env, ...more } });
  const forms = [
    '~/a.db',
    '$HOME/b.db',
    '${HOME}/c.db',
    '%LIMBIC_TEST_DATA%/d.db',
    '$LIMBIC_TEST_DATA/e.db',
    ' ${env:HOME}/f.db',
  ];
  for (const db of forms) {
    const { status, stderr } = start(['--no-model'], { LIMBIC_DB: db });
    assert.equal(status, 0, stderr);
    assert.ok(stderr.includes(`the memory is in ${join(home, basename(db))}\n`), stderr);
    assert.ok(existsSync(join(home, basename(db))), db);
  }
  const { stderr } = start(['--no-model', '--db', 'below.db']);
  assert.match(stderr, /the memory is in \S+below\.db\n/);
  assert.ok(existsSync(join(elsewhere, 'below.db')));
  const exported = start(['export', '--db', '~/a.db', '--out', '~/out.jsonl']);
  assert.equal(exported.status, 0, exported.stderr);
  assert.deepEqual(
    readdirSync(elsewhere).filter((name) => !name.startsWith('below.db')),
    [],
  );

  const session = await connect(t, ['--db', join(elsewhere, 'below.db'), '--no-model'], env);
  const imported = await session.call('migrate', { source_path: '~/out.jsonl' });
  assert.equal(imported.isError ?? false, false, JSON.stringify(imported));
  const refused = await session.call('migrate', { source_path: '$LIMBIC_TEST_NOWHERE/out.jsonl' });
  assert.match(JSON.stringify(refused), /a variable that is not set here/);
  assert.match(JSON.stringify(await session.call('migrate', { source_path: ':memory:' })), /it needs a file/);
  const literal = join(home, '$LIMBIC_TEST_NOWHERE.jsonl');
  renameSync(join(home, 'out.jsonl'), literal);
  const named = await session.call('migrate', { source_path: literal });
  assert.equal(named.isError ?? false, false, JSON.stringify(named));
});

test('variables have the effect of options, and options override them', async (t) => {
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
  const env = { LIMBIC_DB: first, LIMBIC_NO_MODEL: 'true', LIMBIC_TOOLSETS: '' };
  await (await connect(t, [], env)).ask('create_entities', entities('Ada'));
  await (await connect(t, ['--db', second], env)).ask('create_entities', entities('Grace'));
  assert.deepEqual(await namesOf(await connect(t, ['--db', first, '--no-model'])), ['Ada']);
  assert.deepEqual(await namesOf(await connect(t, [`--db=${second}`, '--no-model'])), ['Grace']);
});

test('the search log can omit queries or be disabled', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const search = { query: 'an unrepeatable question' };
  const silent = await connect(t, ['--db', db, '--no-model', '--private-log']);
  assert.equal(typeof (await silent.ask('search_semantic', search))['event_id'], 'number');
  await silent.leave();
  assert.ok(!readFileSync(db).includes('unrepeatable'));
  const off = await connect(t, ['--db', db, '--no-model'], { LIMBIC_SEARCH_LOG_DAYS: '0' });
  assert.ok(!('event_id' in (await off.ask('search_semantic', search))));
  await off.leave();
  const open = await connect(t, ['--db', db, '--no-model', '--search-log-days', '7']);
  await open.ask('search_semantic', search);
  await open.leave();
  assert.ok(readFileSync(db).includes('unrepeatable'));
});

test('the default database is in the data folder, accessible to its owner only', {
  skip: process.platform === 'win32',
}, async (t) => {
  const home = temporaryFolder();
  const data = join(home, 'deep', 'data');
  const session = await connect(t, ['--no-model'], { HOME: home, XDG_DATA_HOME: data });
  await session.ask('create_entities', entities('Ada'));
  const folder =
    process.platform === 'darwin' ? join(home, 'Library', 'Application Support', 'limbic') : join(data, 'limbic');
  const db = join(folder, 'memory.db');
  assert.ok(existsSync(db));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(db).mode & 0o777, 0o600);
});

test('an error message does not repeat the token', () => {
  for (const args of [
    ['--token', 'secret'],
    ['--token', 'a secret with a space'],
  ]) {
    assert.ok(!run(['--http', '0', ...args]).stderr.includes('secret'), args.join(' '));
  }
});

/** HTTP options on the command line and in the environment, with the address that is served. */
const ADDRESSES: readonly [args: string[], env: Record<string, string>, at: RegExp][] = [
  [['--http', '0'], {}, /MCP over HTTP: http:\/\/127\.0\.0\.1:\d+\/mcp/],
  [['--http', 'localhost:0'], {}, /http:\/\/localhost:\d+\/mcp/],
  [['--http', '127.0.0.2:0'], {}, /http:\/\/127\.0\.0\.2:\d+\/mcp/],
  [[], { LIMBIC_HTTP: '0' }, /http:\/\/127\.0\.0\.1:\d+\/mcp/],
  [['--ui'], {}, /explorer: http:\/\/127\.0\.0\.1:\d+\/#token=/],
  [['--ui', '--read-only'], {}, /explorer: /],
  [['--http', '0', '--ui'], {}, /explorer: /],
  [[], { LIMBIC_UI: '1' }, /explorer: /],
  [[], { LIMBIC_UI: 'yes' }, /explorer: /],
];

test('HTTP is served at the requested address', {
  skip: process.platform === 'darwin' && '127.0.0.2 is not up there',
}, async (t) => {
  for (const [args, env, at] of ADDRESSES) {
    const server = await listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', ...args], {
      ...somePage(),
      ...env,
    });
    assert.match(server.raw.stderr, at, `${args.join(' ')} ${JSON.stringify(env)}`);
    server.raw.process.kill('SIGKILL');
  }
  const { status, stderr } = run(['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {
    env: { LIMBIC_UI: '0' },
  });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^limbic-memory: the memory is in [^\n]+\n$/);
});
