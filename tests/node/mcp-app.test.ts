/** The MCP App: hosts that declare the extension are offered it, other clients see no difference. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connect, Session } from './support/client.ts';
import { askOnStdio } from './support/modern.ts';
import { PACKAGE, SERVER, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

const PAGE = join(PACKAGE, 'dist', 'mcp-app.html');
const skip = !existsSync(PAGE) && 'this build has no page';
/** Maximum size of the page, which loads within a conversation. */
const MAX_PAGE_BYTES = 1_200_000;

const URI = 'ui://limbic/memory.html';
const TYPE = 'text/html;profile=mcp-app';
const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: [TYPE] } };
const PAGE_TOOLS = ['explore_entity', 'explore_graph', 'explore_memory', 'explore_stats'];

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: string[] } };
}

/** A client that declares the extension. */
async function host(t: TestContext, args: readonly string[], extensions: object = EXTENSIONS): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER, ...args],
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions } as object });
  const session = new Session(client, transport);
  await client.connect(transport);
  t.after(() => session.leave());
  return session;
}

function options(...more: string[]): string[] {
  return ['--db', join(temporaryFolder(), 'memory.db'), '--test-encoder', ...more];
}

async function listed(session: Session): Promise<Listed[]> {
  return (await session.client.listTools()).tools as Listed[];
}

/** The names of the tools that only a host is offered: for the model, and for the page. */
function ofApp(tools: readonly Listed[]): { readonly model: string[]; readonly page: string[] } {
  const added = tools.filter(({ _meta }) => _meta?.ui !== undefined);
  const isForPage = ({ _meta }: Listed): boolean => _meta?.ui?.visibility?.join() === 'app';
  const names = (some: readonly Listed[]): string[] => some.map(({ name }) => name).sort();
  return { model: names(added.filter((tool) => !isForPage(tool))), page: names(added.filter(isForPage)) };
}

test('a host is offered the tool and its page, and the page its tools', { skip }, async (t) => {
  const session = await host(t, options());
  const tools = await listed(session);
  assert.deepEqual(Object.keys(await session.client.listTools()), ['tools'], 'no hints of the newer protocol');
  assert.deepEqual(ofApp(tools), { model: ['show_memory'], page: PAGE_TOOLS });
  const { _meta } = tools.find(({ name }) => name === 'show_memory') ?? {};
  // Hosts read one of the two.
  assert.deepEqual(_meta, { ui: { resourceUri: URI }, 'ui/resourceUri': URI });
  const { resources } = await session.client.listResources();
  assert.equal(resources.find(({ uri }) => uri === URI)?.mimeType, TYPE);
  const { contents } = await session.client.readResource({ uri: URI });
  const [page] = contents as { mimeType: string; text: string }[];
  assert.equal(page?.mimeType, TYPE);
  assert.match(page.text, /^<!doctype html>/);
  assert.ok(statSync(PAGE).size < MAX_PAGE_BYTES, `the page has ${statSync(PAGE).size} bytes`);
});

test('the tool returns what memory_recall returns, and the tools that the page may call', { skip }, async (t) => {
  const session = await host(t, options());
  const { memory } = await session.ask('memory_store', { content: 'Deploys run on Tuesdays' });
  const args = { query: 'deploys', limit: 3 };
  const result = await session.client.callTool({ name: 'show_memory', arguments: args });
  const shown = (await session.call('show_memory', args)).value;
  assert.deepEqual(shown, (await session.call('memory_recall', args)).value);
  const offered = (result['_meta'] as Record<string, { name: string; readOnly: boolean }[]>)['limbic/tools'] ?? [];
  assert.deepEqual(
    offered
      .filter(({ name }) => name.startsWith('explore_'))
      .map(({ name }) => name)
      .sort(),
    PAGE_TOOLS,
  );
  assert.equal(offered.find(({ name }) => name === 'memory_forget')?.readOnly, false);
  const { id } = memory as { id: string };
  assert.equal(((await session.ask('explore_memory', { id }))['memory'] as { id: string }).id, id);
  assert.equal(await session.refused('show_memory', { query: 'deploys', touch: false }), 'invalid_argument');
});

test('only the tools of the page are added: no SQL, no inbox', { skip }, async (t) => {
  const session = await host(t, options());
  for (const name of ['query_sql', 'review_inbox', 'explore_inbox', 'explore_records']) {
    assert.equal(await session.refused(name), await (await connect(t, options())).refused(name), name);
  }
});

test('clients that do not declare the extension see no difference', { skip }, async (t) => {
  const usual = await connect(t, options());
  const other = await host(t, options(), { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/x-other'] } });
  assert.deepEqual(await listed(other), await listed(usual));
  assert.deepEqual(ofApp(await listed(usual)), { model: [], page: [] });
  for (const session of [usual, other]) {
    const { resources } = await session.client.listResources();
    assert.ok(!resources.some(({ uri }) => uri.startsWith('ui:')));
    await assert.rejects(session.client.readResource({ uri: URI }));
    for (const name of ['show_memory', ...PAGE_TOOLS]) assert.equal(await session.refused(name), 'unknown_tool', name);
  }
});

test('the page of a read-only server may only read', { skip }, async (t) => {
  const db = options();
  const writer = await connect(t, db);
  const { memory } = await writer.ask('memory_store', { content: 'Deploys run on Tuesdays' });
  await writer.leave();
  const session = await host(t, [...db, '--read-only']);
  const result = await session.client.callTool({ name: 'show_memory', arguments: { query: 'deploys' } });
  const offered = (result['_meta'] as Record<string, { readOnly: boolean }[]>)['limbic/tools'] ?? [];
  assert.ok(offered.length > 0);
  assert.ok(offered.every(({ readOnly }) => readOnly));
  const { id } = memory as { id: string };
  await session.ask('explore_memory', { id });
  assert.equal(await session.refused('memory_forget', { id }), await session.refused('memory_update', { id }));
});

test('the page of one user reaches that user only: no explorer', { skip }, async (t) => {
  const args = options();
  const everybody = await connect(t, args);
  await everybody.ask('memory_store', { content: 'Deploys of Ines run on Mondays', user_id: 'ines' });
  await everybody.ask('memory_store', { content: 'Deploys of Tom run on Fridays', user_id: 'tom' });
  const session = await host(t, [...args, '--user', 'ines']);
  assert.deepEqual(ofApp(await listed(session)), { model: ['show_memory'], page: [] });
  const shown = await session.ask('show_memory', { query: 'deploys' });
  assert.deepEqual(
    (shown['memories'] as { content: string }[]).map(({ content }) => content),
    ['Deploys of Ines run on Mondays'],
  );
  for (const name of PAGE_TOOLS) assert.ok(await session.refused(name), name);
});

test('toolsets without memories have no page, and without the graph no explorer', { skip }, async (t) => {
  const graph = await host(t, options('--toolsets', 'graph'));
  assert.deepEqual(ofApp(await listed(graph)), { model: [], page: [] });
  const memory = await host(t, options('--toolsets', 'memory'));
  assert.deepEqual(ofApp(await listed(memory)), { model: ['show_memory'], page: [] });
  assert.equal(await memory.refused('explore_entity', { name: 'Atlas' }), 'unknown_tool');
  const compat = await host(t, options('--compat', 'server-memory'));
  assert.deepEqual(ofApp(await listed(compat)), { model: [], page: [] });
});

test('in protocol 2026-07-28 each request declares the extension, and its list is private', { skip }, async (t) => {
  const ask = askOnStdio(start(t, options()));
  const list = async (capabilities?: object): Promise<{ tools: Listed[]; cacheScope: string }> =>
    (await ask('tools/list', {}, capabilities)).result as unknown as { tools: Listed[]; cacheScope: string };
  const declared = { extensions: EXTENSIONS };
  const ofHost = await list(declared);
  assert.deepEqual([ofApp(ofHost.tools).page, ofHost.cacheScope], [PAGE_TOOLS, 'private']);
  const ofOthers = await list();
  assert.deepEqual([ofApp(ofOthers.tools).page, ofOthers.cacheScope], [[], 'public']);
  assert.ok((await ask('resources/read', { uri: URI }, declared)).result);
  assert.ok((await ask('resources/read', { uri: URI })).error);
});
