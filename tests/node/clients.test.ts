/** The official client of the SDK's version 2, with both protocol generations and on both transports. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connect, eventually } from './support/client.ts';
import { listening } from './support/http.ts';
import { MODERN } from './support/modern.ts';
import { commandOf, type Program, PROGRAMS, temporaryFolder } from './support/places.ts';

type Value = Record<string, unknown>;

type Open = (t: TestContext, program: Program) => Promise<Transport>;

const TRANSPORTS: readonly [string, Open][] = [
  [
    'stdio',
    async (_, program) => {
      const [command, ...first] = commandOf(program);
      const args = [...first, '--db', join(temporaryFolder(), 'memory.db'), '--no-model'];
      return new StdioClientTransport({ command, args, stderr: 'ignore' });
    },
  ],
  [
    'HTTP',
    async (t, program) => {
      const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
      const server = await listening(t, args, {}, program);
      return new StreamableHTTPClientTransport(server.url('/mcp'), { requestInit: { headers: server.pass } });
    },
  ],
];

/** Each server and transport, and whether clients of the older protocol have sessions there. */
const PLACES = PROGRAMS.flatMap((program) =>
  TRANSPORTS.map(([name, open]) => ({
    place: `${name} (${program})`,
    hasSessions: program === 'node' || name === 'stdio',
    transport: (t: TestContext) => open(t, program),
  })),
);

async function ask(client: Client, name: string, args: Value = {}): Promise<Value> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { text: string }[];
  const value = JSON.parse(content?.text ?? '') as Value;
  if (result.isError !== true) assert.deepEqual(result.structuredContent, value);
  return value;
}

for (const { place, hasSessions, transport } of PLACES) {
  for (const mode of ['auto', 'legacy'] as const) {
    test(`the client of version 2 is served on ${place} (${mode})`, async (t) => {
      const asked: string[] = [];
      const client = new Client(
        { name: 'limbic-tests', version: '1.0.0' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
      );
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { confirm: true } };
      });
      await client.connect(await transport(t));
      t.after(() => client.close());
      const isModern = mode === 'auto';
      assert.equal(client.getNegotiatedProtocolVersion(), isModern ? MODERN : '2025-11-25');
      assert.equal(client.getServerVersion()?.title, 'Limbic');
      assert.match(client.getInstructions() ?? '', /memory_recall/);
      const { tools } = await client.listTools();
      assert.equal(
        tools.some(({ name }) => name === 'select_domain'),
        !isModern && hasSessions,
      );
      const { memory } = await ask(client, 'memory_store', { content: 'Deploys run on Tuesdays' });
      const { id } = memory as { id: string };
      const { resources } = await client.listResources();
      const read = await client.readResource({ uri: resources[0]?.uri ?? '' });
      assert.equal(read.contents.length, 1);
      const { prompts } = await client.listPrompts();
      assert.ok(prompts.length > 0);
      const failed = await ask(client, 'memory_forget', { id: 'nothing' });
      assert.equal(failed['code'], 'memory_not_found');
      assert.deepEqual((await ask(client, 'memory_forget', { id }))['deleted'], [id]);
      assert.equal(asked.length, isModern ? 1 : 0, 'a client of the newer era asks its user');
    });
  }

  test(`the client of version 2 listens on ${place}`, async (t) => {
    const client = new Client({ name: 'limbic-tests', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const received: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      received.push(params.uri);
    });
    await client.connect(await transport(t));
    t.after(() => client.close());
    const { resources } = await client.listResources();
    const uri = resources[0]?.uri ?? '';
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    await ask(client, 'memory_store', { content: 'Deploys run on Tuesdays' });
    await eventually('the notice', () => received.includes(uri));
    await subscription.close();
  });
}

test('the client of version 1 is served on stdio (native)', async (t) => {
  const session = await connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {}, 'native');
  await session.ask('create_domain', { id: 'work' });
  await session.ask('select_domain', { id: 'work' });
  assert.equal((await session.ask('list_domains'))['current'], 'work');
  assert.match(session.client.getServerVersion()?.websiteUrl ?? '', /^https:/);
  await assert.rejects(session.client.readResource({ uri: 'memory://nothing' }), { code: -32_002 });
});
