/** `--compat server-memory` compared with the reference server: equal calls get equal answers. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { eventually } from './support/client.ts';
import { type Call, generated } from './support/compat-calls.ts';
import { PACKAGE, SERVER, temporaryFolder } from './support/places.ts';

const REFERENCE = join(PACKAGE, 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js');
const GRAPH = 'memory://knowledge-graph';

/** The parts of a tool's answer in which the two servers must agree. */
interface Outcome {
  readonly isError: boolean;
  readonly structured: unknown;
}

async function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Client> {
  const client = new Client({ name: 'limbic-tests', version: '1.0.0' });
  const environment = { ...(process.env as Record<string, string>), ...env };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], env: environment, stderr: 'ignore' }),
  );
  t.after(() => client.close());
  return client;
}

const reference = (t: TestContext): Promise<Client> =>
  start(t, [REFERENCE], { MEMORY_FILE_PATH: join(temporaryFolder(), 'memory.jsonl') });

const ours = (t: TestContext, ...more: string[]): Promise<Client> =>
  start(
    t,
    [SERVER, '--db', join(temporaryFolder(), 'memory.db'), '--compat', 'server-memory', '--no-model', ...more],
    {},
  );

async function outcome(client: Client, [name, args]: Call): Promise<Outcome> {
  const { isError, structuredContent } = await client.callTool({ name, arguments: args });
  return { isError: isError === true, structured: structuredContent };
}

async function textOf(client: Client, [name, args]: Call): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]?.text ?? '';
}

/** Makes the same calls to both servers. Asserts equal answers, and equal graphs after each call that may change it. */
async function agree(t: TestContext, calls: readonly Call[]): Promise<void> {
  const [theirs, mine] = await Promise.all([reference(t), ours(t)]);
  for (const [place, call] of calls.entries()) {
    const steps: Call[] = /^(create|add|delete)/.test(call[0]) ? [call, ['read_graph', {}]] : [call];
    for (const step of steps) {
      const [wanted, got] = await Promise.all([outcome(theirs, step), outcome(mine, step)]);
      assert.deepEqual(got, wanted, `call ${place}: ${JSON.stringify(call)}, at ${step[0]}`);
    }
  }
}

const entity = (name: string, entityType = 't', observations: string[] = []): object => ({
  name,
  entityType,
  observations,
});
const relation = (from: string, to: string, relationType = 'knows'): object => ({ from, to, relationType });

test('the tool list equals that of the reference server', async (t) => {
  const [theirs, mine] = await Promise.all([reference(t), ours(t)]);
  const surface = async (client: Client): Promise<unknown> =>
    (await client.listTools()).tools.map(
      ({ name, title, description, inputSchema, outputSchema, annotations = {} }) => {
        const { title: _, ...hints } = annotations;
        return { name, title, description, input: bare(inputSchema), output: bare(outputSchema), hints };
      },
    );
  assert.deepEqual(await surface(mine), await surface(theirs));
});

/** A schema without the mark of its dialect. */
function bare(schema: Record<string, unknown> | undefined): unknown {
  const { $schema: _, ...rest } = schema ?? {};
  return rest;
}

test('creating, repeating and deleting answers as the reference server', (t) =>
  agree(t, [
    ['read_graph', {}],
    ['create_entities', { entities: [entity('Ada', 'Person', ['writes', 'counts']), entity('Engine', 'Machine')] }],
    ['create_entities', { entities: [entity('Ada', 'Other', ['is ignored']), entity('Grace', 'Person')] }],
    ['create_relations', { relations: [relation('Ada', 'Engine', 'programs'), relation('Ada', 'Ada', 'is')] }],
    ['create_relations', { relations: [relation('Ada', 'Engine', 'programs'), relation('Engine', 'Ada', 'programs')] }],
    ['add_observations', { observations: [{ entityName: 'Ada', contents: ['writes', 'travels'] }] }],
    [
      'add_observations',
      {
        observations: [
          { entityName: 'Ada', contents: ['a', 'b'] },
          { entityName: 'Ada', contents: ['b', 'c'] },
        ],
      },
    ],
    ['search_nodes', { query: 'ENGINE' }],
    ['search_nodes', { query: 'person' }],
    ['search_nodes', { query: '' }],
    ['search_nodes', { query: 'nowhere' }],
    ['open_nodes', { names: ['Engine', 'nobody', 'Ada', 'Engine'] }],
    [
      'delete_observations',
      {
        deletions: [
          { entityName: 'Ada', observations: ['writes', 'nothing'] },
          { entityName: 'nobody', observations: ['x'] },
        ],
      },
    ],
    ['delete_relations', { relations: [relation('Ada', 'Engine', 'programs'), relation('x', 'y', 'z')] }],
    ['delete_entities', { entityNames: ['Ada', 'nobody', 'Ada'] }],
    ['create_entities', { entities: [entity('Ada', 'Again')] }],
  ]));

test('relations may name missing entities', (t) =>
  agree(t, [
    ['create_relations', { relations: [relation('a', 'b'), relation('b', 'c'), relation('c', 'c')] }],
    ['open_nodes', { names: ['a', 'b', 'c'] }],
    ['search_nodes', { query: 'knows' }],
    ['search_nodes', { query: '' }],
    ['add_observations', { observations: [{ entityName: 'a', contents: ['x'] }] }],
    ['delete_observations', { deletions: [{ entityName: 'a', observations: ['x'] }] }],
    ['create_entities', { entities: [entity('d'), entity('c', 'late', ['one']), entity('a')] }],
    ['create_entities', { entities: [entity('b'), entity('c', 'ignored')] }],
    ['search_nodes', { query: 'late' }],
    ['create_relations', { relations: [relation('c', 'c'), relation('c', 'e')] }],
    ['delete_entities', { entityNames: ['e'] }],
    ['delete_entities', { entityNames: ['b'] }],
    ['create_relations', { relations: [relation('a', 'b')] }],
    ['create_entities', { entities: [entity('b', 'back')] }],
  ]));

test('empty lists and texts are handled as by the reference server', (t) =>
  agree(t, [
    ['create_entities', { entities: [] }],
    ['create_relations', { relations: [] }],
    ['add_observations', { observations: [] }],
    ['delete_entities', { entityNames: [] }],
    ['delete_observations', { deletions: [] }],
    ['delete_relations', { relations: [] }],
    ['open_nodes', { names: [] }],
    ['create_entities', { entities: [entity('', '', ['', '']), entity('plain')] }],
    ['create_relations', { relations: [relation('', '', ''), relation('', 'plain', '')] }],
    [
      'add_observations',
      {
        observations: [
          { entityName: '', contents: [''] },
          { entityName: 'plain', contents: ['', ''] },
        ],
      },
    ],
    ['open_nodes', { names: [''] }],
    [
      'delete_observations',
      {
        deletions: [
          { entityName: '', observations: [''] },
          { entityName: 'plain', observations: [] },
        ],
      },
    ],
    ['delete_entities', { entityNames: [''] }],
  ]));

test('duplicate observations are kept as by the reference server', (t) =>
  agree(t, [
    ['create_entities', { entities: [entity('a', 't', ['x', 'x', 'y'])] }],
    ['add_observations', { observations: [{ entityName: 'a', contents: ['z', 'z', 'x'] }] }],
    ['add_observations', { observations: [{ entityName: 'a', contents: ['z'] }] }],
    ['delete_observations', { deletions: [{ entityName: 'a', observations: ['x', 'z'] }] }],
  ]));

test('texts of every script are distinguished as by the reference server', (t) => {
  const composed = 'caf\u00e9';
  const decomposed = 'cafe\u0301';
  const names = [
    composed,
    decomposed,
    'CAFÉ',
    'ΣΊΣΥΦΟΣ',
    'İstanbul',
    'straße',
    '日本語',
    '👩‍👩‍👧',
    ' padded ',
    'a\nb\t"c"\\',
    'ﬁ',
    "'; --",
    '%_',
  ];
  const queries = [
    'café',
    decomposed,
    'CAFÉ',
    'σίσυφος',
    'i',
    'İ',
    'STRASSE',
    'ß',
    '語',
    '👩',
    ' ',
    '\n',
    '"',
    '%',
    '_',
    'ﬁ',
    'FI',
    'ς',
    'Σ',
  ];
  return agree(t, [
    ['create_entities', { entities: names.map((name) => entity(name, name, [name, composed, decomposed])) }],
    ['create_entities', { entities: names.map((name) => entity(name)) }],
    [
      'create_relations',
      {
        relations: [
          relation(composed, decomposed, composed),
          relation(composed, decomposed, decomposed),
          relation('CAFÉ', '日本'),
        ],
      },
    ],
    ...queries.map((query): Call => ['search_nodes', { query }]),
    ...names.map((name): Call => ['open_nodes', { names: [name] }]),
    ['add_observations', { observations: [{ entityName: 'straße', contents: [composed, 'Straße', 'STRASSE'] }] }],
    ['delete_observations', { deletions: [{ entityName: composed, observations: [decomposed] }] }],
    ['delete_relations', { relations: [relation(composed, decomposed, decomposed)] }],
    ['delete_entities', { entityNames: [decomposed, 'cafÉ'] }],
  ]);
});

test('arguments are rejected and ignored as by the reference server', (t) =>
  agree(t, [
    ['create_entities', { entities: [entity('kept', 't', ['one'])] }],
    ['create_entities', {}],
    ['create_entities', { entities: 'kept' }],
    ['create_entities', { entities: [entity('new'), { name: 'typeless', observations: [] }] }],
    ['create_entities', { entities: [entity('new'), { name: 'x', entityType: 't' }] }],
    ['create_entities', { entities: [{ name: null, entityType: 't', observations: [] }] }],
    ['create_entities', { entities: [{ name: 'x', entityType: 't', observations: [1] }] }],
    ['create_entities', { entities: [{ ...entity('more'), status: 'x', extra: null }], other: 1 }],
    ['create_relations', { relations: [{ ...relation('kept', 'more'), weight: 7 }] }],
    ['create_relations', { relations: [{ from: 'kept', to: 'more' }] }],
    [
      'add_observations',
      {
        observations: [
          { entityName: 'kept', contents: ['undone'] },
          { entityName: 'nobody', contents: [] },
        ],
      },
    ],
    ['add_observations', { entityName: 'kept', contents: ['x'] }],
    ['add_observations', { name: 'kept', observations: ['x'] }],
    ['delete_entities', { entityNames: 'kept' }],
    ['delete_observations', { deletions: [{ entityName: 'kept' }] }],
    ['search_nodes', {}],
    ['search_nodes', { query: 7 }],
    ['search_nodes', { query: 'kept', limit: 0 }],
    ['open_nodes', { names: [null] }],
    ['read_graph', { detail: 'full' }],
    ['search_semantic', { query: 'kept' }],
  ]));

test('a missing entity is reported in the same words', async (t) => {
  const call: Call = ['add_observations', { observations: [{ entityName: 'nobody "x"', contents: ['y'] }] }];
  const [theirs, mine] = await Promise.all([textOf(await reference(t), call), textOf(await ours(t), call)]);
  assert.equal((JSON.parse(mine) as { error: string }).error, theirs);
});

for (const seed of [1, 2, 3]) {
  test(`generated calls, seed ${seed}`, (t) => agree(t, generated(seed, 150)));
}

test('a duplicate within one call is not created, the only difference', async (t) => {
  const mine = await ours(t);
  const created = await outcome(mine, ['create_entities', { entities: [entity('a', 'first'), entity('a', 'second')] }]);
  assert.deepEqual(created.structured, { entities: [entity('a', 'first')] });
  const related = await outcome(mine, ['create_relations', { relations: [relation('a', 'b'), relation('a', 'b')] }]);
  assert.deepEqual(related.structured, { relations: [relation('a', 'b')] });
  const graph = await outcome(mine, ['read_graph', {}]);
  assert.deepEqual(graph.structured, { entities: [entity('a', 'first')], relations: [relation('a', 'b')] });
});

test('only a server that offers our tools beside those of another has instructions', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const mine = await start(t, [SERVER, '--db', db, '--compat', 'memory-mcp-server', '--no-model'], {});
  const without = await start(t, [SERVER, '--db', db, '--no-model'], {});
  assert.match(mine.getInstructions() ?? '', /call memory_recall/);
  assert.equal(mine.getInstructions(), without.getInstructions());
  const names = (await mine.listTools()).tools.map(({ name }) => name);
  assert.ok(names.includes('memory_recall') && names.includes('recall_code'));
  assert.equal((await ours(t)).getInstructions(), undefined);
});

test('read-only offers the three reading tools', async (t) => {
  const folder = temporaryFolder();
  const args = [SERVER, '--db', join(folder, 'memory.db'), '--compat', 'server-memory', '--no-model'];
  const writer = await start(t, args, {});
  await outcome(writer, ['create_entities', { entities: [entity('a')] }]);
  const reader = await start(t, [...args, '--read-only'], {});
  const { tools } = await reader.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['read_graph', 'search_nodes', 'open_nodes'],
  );
  assert.deepEqual((await outcome(reader, ['open_nodes', { names: ['a'] }])).structured, {
    entities: [entity('a')],
    relations: [],
  });
});

test('the graph is a resource as in the reference server', async (t) => {
  const [theirs, mine] = await Promise.all([reference(t), ours(t)]);
  assert.deepEqual(await mine.listResources(), await theirs.listResources());
  assert.deepEqual(await mine.listResourceTemplates(), await theirs.listResourceTemplates());
  for (const client of [theirs, mine]) {
    await outcome(client, ['create_entities', { entities: [entity('a', 't', ['x'])] }]);
    await outcome(client, ['create_relations', { relations: [relation('a', 'missing')] }]);
    for (const uri of ['memory://nothing', 'memory://stats', 'memory://entity/a']) {
      await assert.rejects(client.readResource({ uri }), { code: -32602 });
    }
  }
  assert.deepEqual(await mine.readResource({ uri: GRAPH }), await theirs.readResource({ uri: GRAPH }));
});

test('subscribers of the graph are notified of each changing call', async (t) => {
  const plain = await start(t, [SERVER, '--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {});
  for (const client of [await reference(t), await ours(t), plain]) {
    const received: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      received.push(params.uri);
    });
    const create = (name: string): Promise<Outcome> =>
      outcome(client, ['create_entities', { entities: [entity(name)] }]);
    await create('before');
    await client.subscribeResource({ uri: GRAPH });
    await create('a');
    await outcome(client, ['add_observations', { observations: [{ entityName: 'a', contents: ['x'] }] }]);
    await outcome(client, ['add_observations', { observations: [{ entityName: 'nobody', contents: ['x'] }] }]);
    await outcome(client, ['search_nodes', { query: 'a' }]);
    await outcome(client, ['delete_entities', { entityNames: ['a'] }]);
    await eventually('three notices', () => received.length >= 3);
    await client.unsubscribeResource({ uri: GRAPH });
    await create('after');
    await outcome(client, ['search_nodes', { query: 'a' }]);
    assert.deepEqual(received, [GRAPH, GRAPH, GRAPH]);
  }
});
