import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, entities, namesOf, TEST_ENCODER } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

interface ListedTool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean };
}

test('tools are listed and called', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), ...TEST_ENCODER]);
  const { tools } = await session.client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ['create_entities', 'read_graph', 'search_semantic']) assert.ok(names.includes(name), name);
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.annotations, `${tool.name} is described`);
    assert.equal(tool.outputSchema, undefined, 'output schemas are left out by default');
    assert.ok(!('_limbic' in tool), 'marks for the shell stay inside');
  }
  await session.ask('create_entities', entities('Ada', 'Grace'));
  assert.deepEqual(await namesOf(session), ['Ada', 'Grace']);
});

test('the tool list is exactly the generated one', async (t) => {
  const server = start(t, [
    '--db',
    join(temporaryFolder(), 'memory.db'),
    '--no-model',
    '--toolsets',
    'all,more,explorer',
  ]);
  await server.initialize();
  server.request(1, 'tools/list');
  const { tools } = (await server.answer(1)).result as { tools: unknown };
  const generated = JSON.parse(readFileSync(join(PACKAGE, 'dist', 'tools.json'), 'utf8')) as Record<string, unknown>[];
  assert.deepEqual(
    tools,
    generated.map(({ _limbic, ...tool }) => tool),
  );
});

test('output schemas are listed as selected', async (t) => {
  const schemaOf = async (...how: string[]): Promise<string | undefined> => {
    const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', ...how]);
    const { tools } = await session.client.listTools();
    const schema = tools.find(({ name }) => name === 'search_nodes')?.outputSchema;
    return schema === undefined ? undefined : JSON.stringify(schema);
  };
  assert.equal(await schemaOf('--output-schemas', 'none'), undefined);
  const short = (await schemaOf('--output-schemas', 'short')) ?? '';
  const full = (await schemaOf('--output-schemas', 'full')) ?? '';
  assert.ok(short.includes('entities') && !short.includes('"description"'), short);
  assert.ok(full.includes('"description"') && full.length > short.length, full);
  assert.ok(await schemaOf('--compat', 'server-memory'), 'the schemas of the reference server stay');
});

test('a tool that is not listed is called through more_tools, or by name', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model']);
  const { tools } = await session.client.listTools();
  assert.ok(!tools.some(({ name }) => name === 'consolidation_report'));
  const direct = await session.ask('consolidation_report', {});
  assert.deepEqual(await session.ask('more_tools', { name: 'consolidation_report', arguments: {} }), direct);
  assert.match(session.client.getInstructions() ?? '', /memory_recall/);
});

test('the handshake and the list need neither database nor model', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db')]);
  server.request('list', 'tools/list');
  await server.initialize();
  await server.answer('list');
  assert.ok(!server.stderr.includes('keyword search only'));
});

test('a search is a keyword search while the encoder is loading', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db')]);
  server.call('store', 'create_entities', entities('Ada'));
  server.call('find', 'search_semantic', { query: 'Ada' });
  await server.initialize();
  const found = (await server.answer('find')).result as { structuredContent: { mode: string } };
  assert.equal(found.structuredContent.mode, 'lexical');
});

test('calls run in order of arrival', async (t) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), ...TEST_ENCODER]);
  await server.initialize();
  for (let i = 0; i < 20; i++) {
    server.call(i, 'create_entities', entities(`entity ${i}`));
    server.call(`find ${i}`, 'search_semantic', { query: `entity ${i}` });
  }
  await server.answer('find 19');
  const ids = server.messages.map((message) => message.id).filter((id) => id !== 'hello');
  assert.deepEqual(ids, Array.from({ length: 20 }, (_, i) => [i, `find ${i}`]).flat());
});

test('read-only offers and runs only tools that change nothing', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const writer = await connect(t, ['--db', db, '--no-model']);
  await writer.ask('create_entities', entities('Ada'));
  const reader = await connect(t, ['--db', db, '--read-only', '--no-model']);
  const { tools } = await reader.client.listTools();
  assert.ok((tools as unknown as ListedTool[]).every((tool) => tool.annotations.readOnlyHint));
  assert.equal(((await reader.ask('select_domain', { id: 'general' }))['domain'] as { id: string }).id, 'general');
  assert.equal((await reader.ask('memory_maintain'))['applied'], false);
  assert.deepEqual(await namesOf(reader), ['Ada']);
  assert.match(await reader.refused('create_entities', entities('Grace')), /read_only|unknown_tool/);
  assert.deepEqual(await namesOf(writer), ['Ada']);
});

test('an import reports progress to a client that requests it', async (t) => {
  const folder = temporaryFolder();
  const source = join(folder, 'source.jsonl');
  const lines = Array.from({ length: 50 }, (_, i) =>
    JSON.stringify({ type: 'entity', name: `entity ${i}`, entityType: 'Test', observations: ['one', 'two'] }),
  );
  writeFileSync(source, `${lines.join('\n')}\n`);
  const server = start(t, ['--db', join(folder, 'memory.db'), '--no-model']);
  await server.initialize();
  server.request('import', 'tools/call', {
    name: 'migrate',
    arguments: { source_path: source },
    _meta: { progressToken: 'how far' },
  });
  const answer = await server.answer('import');
  const before = server.messages.slice(0, server.messages.indexOf(answer));
  const reports = before.filter((message) => message['method'] === 'notifications/progress');
  const last = reports.at(-1)?.['params'] as { progressToken: string; progress: number; total: number } | undefined;
  assert.equal(last?.progressToken, 'how far', 'the end is reported before the answer');
  assert.equal(last.progress, last.total);
  const { structuredContent } = answer.result as { structuredContent: { entities_imported: number } };
  assert.equal(structuredContent.entities_imported, 50);
});

test('index_project with wait reports progress to a client that requests it', async (t) => {
  const folder = temporaryFolder();
  for (let i = 0; i < 250; i += 1) writeFileSync(join(folder, `f${i}.py`), `def f${i}():\n    return f0()\n`);
  const { client } = await connect(t, [
    ...['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--toolsets', 'code', '--code-root', folder],
  ]);
  const reports: { progress: number; total?: number | undefined }[] = [];
  const params = { name: 'index_project', arguments: { path: folder, wait: true } };
  const answer = await client.callTool(params, undefined, { onprogress: (report) => reports.push(report) });
  assert.equal((answer.structuredContent as { files_indexed: number }).files_indexed, 250);
  assert.deepEqual(reports.at(-1), { progress: 500, total: 500 }, 'the end is reported before the answer');
  assert.ok(reports.length > 1 && reports[0]?.total === 500, JSON.stringify(reports));
});

test('a source that cannot be read is named in the error', async (t) => {
  const folder = temporaryFolder();
  const session = await connect(t, ['--db', join(folder, 'memory.db'), '--no-model']);
  const path = join(folder, 'nothing.jsonl');
  const answer = await session.call('migrate', { source_path: path });
  assert.equal(answer.value['code'], 'source_unreadable');
  assert.ok(String(answer.value['error']).includes(path));
  const address = await session.call('migrate', { source_path: 'postgres://limbic:s3cret@h/db' });
  assert.equal(address.value['code'], 'source_unreadable');
  assert.doesNotMatch(JSON.stringify(address.value), /s3cret/);
});

test('the tools of the reference server are offered on request', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--compat', 'server-memory', '--no-model'];
  const session = await connect(t, args);
  const { tools } = await session.client.listTools();
  assert.equal(tools.length, 9);
  assert.ok(tools.every((tool) => !('_limbic' in tool)));
});
