import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from './support/client.ts';
import { listening, somePage } from './support/http.ts';
import { type Ask, askOnStdio, askOverHttp, ASKS, envelope, headersOf, MODERN, toolAnswer } from './support/modern.ts';
import { type Program, PROGRAMS, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** Runs a test on both transports of both servers. */
function onBoth(name: string, body: (ask: Ask) => Promise<void>, ...more: string[]): void {
  const args = (): string[] => ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', ...more];
  each(`${name} (stdio)`, async (t, program) => {
    const server = start(t, args(), {}, program);
    await body(askOnStdio(server));
    assert.deepEqual(server.strayLines, []);
  });
  each(`${name} (HTTP)`, async (t, program) => {
    await body(askOverHttp(await listening(t, ['--http', '0', ...args()], {}, program)));
  });
}

/** Runs a test on both servers. */
function each(name: string, body: (t: TestContext, program: Program) => Promise<void>): void {
  for (const program of PROGRAMS) test(`${name} (${program})`, (t) => body(t, program));
}

async function call(ask: Ask, name: string, args: object, more: object = {}, capabilities?: object) {
  return ask('tools/call', { name, arguments: args, ...more }, capabilities);
}

async function stored(ask: Ask, content: string, domain?: string): Promise<string> {
  const answer = toolAnswer(await call(ask, 'memory_store', { content, ...(domain === undefined ? {} : { domain }) }));
  assert.equal(answer.isError, false, JSON.stringify(answer.value));
  return (answer.value['memory'] as { id: string }).id;
}

onBoth('a server says what it is without an initialisation', async (ask) => {
  const { result } = await ask('server/discover');
  assert.deepEqual(result?.['supportedVersions'], [MODERN]);
  assert.deepEqual([result['resultType'], result['cacheScope']], ['complete', 'public']);
  assert.ok(Number(result['ttlMs']) > 0);
  assert.deepEqual(Object.keys(result['capabilities'] as object).sort(), [
    'completions',
    'prompts',
    'resources',
    'tools',
  ]);
  assert.match(String(result['instructions']), /give domain with each call/);
  const identity = (result['_meta'] as Record<string, Record<string, unknown>>)[SERVER_INFO] ?? {};
  assert.equal(identity['name'], 'limbic-memory');
  assert.match(String(identity['description']), /memory/);
  assert.match(String(identity['websiteUrl']), /^https:/);
  const [icon] = identity['icons'] as { src: string }[];
  assert.ok(icon?.src.startsWith('data:image/svg+xml;base64,') && icon.src.length < 1000);
});

onBoth('lists and resources say how long they hold, and calls are complete', async (ask) => {
  for (const [method, field] of [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const) {
    const { result } = await ask(method);
    assert.ok(result, method);
    assert.ok((result[field] as unknown[]).length > 0, method);
    assert.deepEqual([result['resultType'], result['cacheScope']], ['complete', 'public'], method);
    assert.ok(Number(result['ttlMs']) > 0, method);
    assert.deepEqual(Object.keys((result['_meta'] as Record<string, object>)[SERVER_INFO] ?? {}), ['name', 'version']);
  }
  const { resources } = (await ask('resources/list')).result as { resources: { uri: string }[] };
  const read = (await ask('resources/read', { uri: resources[0]?.uri })).result;
  assert.deepEqual([read?.['resultType'], read?.['cacheScope'], read?.['ttlMs']], ['complete', 'private', 0]);
  const prompt = await ask('prompts/get', { name: 'recall-context', arguments: { topic: 'any' } });
  assert.equal(prompt.result?.['resultType'], 'complete');
  const answer = (await call(ask, 'list_domains', {})).result;
  assert.equal(answer?.['resultType'], 'complete');
  assert.ok(answer['structuredContent']);
});

onBoth('errors have the codes of the protocol', async (ask) => {
  const code = async (method: string, params: Record<string, unknown>): Promise<number | undefined> =>
    (await ask(method, params)).error?.code;
  assert.equal(await code('resources/read', { uri: 'memory://nothing' }), -32_602);
  assert.equal(await code('resources/read', {}), -32_602);
  assert.equal(await code('tools/call', {}), -32_602);
  assert.equal(await code('tools/call', { name: 'read_graph', arguments: [] }), -32_602);
  assert.equal(await code('prompts/get', { name: 'nothing' }), -32_602);
  assert.equal(await code('completion/complete', {}), -32_602);
  for (const method of ['no/such/method', 'ping', 'initialize', 'resources/subscribe', 'logging/setLevel']) {
    assert.equal(await code(method, {}), -32_601, method);
  }
  const unknown = toolAnswer(await call(ask, 'open_node', {}));
  assert.deepEqual([unknown.isError, unknown.value['code']], [true, 'unknown_tool']);
});

onBoth('no request is understood by an earlier one', async (ask) => {
  const { tools } = (await ask('tools/list')).result as { tools: { name: string }[] };
  assert.ok(!tools.some(({ name }) => name === 'select_domain'), 'nothing can be selected');
  await call(ask, 'create_domain', { id: 'work' });
  const refused = toolAnswer(await call(ask, 'select_domain', { id: 'work' }));
  assert.deepEqual([refused.isError, refused.value['code']], [true, 'invalid_argument']);
  assert.match(String(refused.value['hint']), /domain with each call/);
  await stored(ask, 'Deploys run on Tuesdays', 'work');
  const domainOf = async (args: object): Promise<unknown> =>
    toolAnswer(await call(ask, 'memory_list', args)).value['memories'];
  assert.equal(((await domainOf({ domain: 'work' })) as unknown[]).length, 1);
  assert.deepEqual(await domainOf({}), []);
  await call(ask, 'select_domain', { id: 'work', as_default: true });
  assert.equal(toolAnswer(await call(ask, 'list_domains', {})).value['current'], 'work');
  await call(ask, 'select_domain', { id: 'general', as_default: true });
  assert.equal(toolAnswer(await call(ask, 'list_domains', {})).value['current'], 'general');
});

onBoth('what a call would delete is asked first, where the client can ask', async (ask) => {
  const id = await stored(ask, 'The staging server is called blue');
  const question = await call(ask, 'memory_forget', { id }, {}, ASKS);
  const { resultType, inputRequests, requestState } = question.result ?? {};
  assert.equal(resultType, 'input_required');
  const { confirm } = inputRequests as { confirm: { method: string; params: { message: string } } };
  assert.equal(confirm.method, 'elicitation/create');
  assert.match(confirm.params.message, /Delete this memory permanently.*"The staging server is called blue"/);
  const isThere = async (): Promise<boolean> =>
    ((toolAnswer(await call(ask, 'memory_get', { ids: [id] })).value['memories'] ?? []) as unknown[]).length > 0;
  const reply = (action: string, yes: boolean, state = requestState) => ({
    requestState: state,
    inputResponses: { confirm: { action, ...(action === 'accept' ? { content: { confirm: yes } } : {}) } },
  });
  for (const declined of [reply('decline', false), reply('cancel', false), reply('accept', false)]) {
    const answer = toolAnswer(await call(ask, 'memory_forget', { id }, declined, ASKS));
    assert.deepEqual([answer.isError, answer.value['code']], [true, 'not_confirmed']);
  }
  const kind = async (args: object, more: object): Promise<unknown> =>
    (await call(ask, 'memory_forget', args, more, ASKS)).result?.['resultType'];
  const other = await stored(ask, 'Another text');
  assert.equal(await kind({ id: other }, reply('accept', true)), 'input_required', 'a yes to another call');
  assert.equal(await kind({ id }, reply('accept', true, 'forged')), 'input_required');
  assert.equal((await call(ask, 'memory_forget', { id }, { inputResponses: null }, ASKS)).error?.code, -32_602);
  const wrapped = { requestState, inputResponses: { confirm: true } };
  assert.equal((await call(ask, 'memory_forget', { id }, wrapped, ASKS)).error?.code, -32_602);
  assert.equal(await kind({ id }, reply('accept', true, `${requestState}x`)), 'input_required');
  await call(ask, 'memory_update', { id, content: 'The staging server is called green' });
  assert.equal(await kind({ id }, reply('accept', true)), 'input_required', 'the text has changed since');
  assert.ok(await isThere());
  const anew = await call(ask, 'memory_forget', { id }, {}, ASKS);
  const yes = reply('accept', true, anew.result?.['requestState']);
  const done = toolAnswer(await call(ask, 'memory_forget', { id }, yes, ASKS));
  assert.deepEqual(done.value['deleted'], [id]);
  assert.ok(!(await isThere()));
});

onBoth('a client that cannot ask is answered at once, and so is a call that deletes nothing', async (ask) => {
  const forget = async (capabilities: object): Promise<unknown> => {
    const id = await stored(ask, `A text of ${JSON.stringify(capabilities)}`);
    return (await call(ask, 'memory_forget', { id }, {}, capabilities)).result?.['resultType'];
  };
  assert.equal(await forget({}), 'complete');
  assert.equal(await forget({ elicitation: { url: {} } }), 'complete');
  assert.equal(await forget({ elicitation: {} }), 'input_required', 'the older way to say that it shows forms');
  const missing = toolAnswer(await call(ask, 'memory_forget', { id: 'nothing' }, {}, ASKS));
  assert.deepEqual([missing.isError, missing.value['code']], [true, 'memory_not_found']);
  await call(ask, 'create_domain', { id: 'old' });
  const resultType = async (name: string, args: object): Promise<unknown> =>
    (await call(ask, name, args, {}, ASKS)).result?.['resultType'];
  assert.equal(await resultType('delete_domain', { id: 'old' }), 'input_required');
  assert.equal(await resultType('more_tools', { name: 'delete_domain', arguments: { id: 'old' } }), 'input_required');
  assert.equal(await resultType('more_tools', { name: 'delete_domain' }), 'complete');
  assert.equal(await resultType('memory_maintain', {}), 'complete', 'a dry run');
});

const applied = async (ask: Ask): Promise<void> => {
  await call(ask, 'memory_store', { content: 'Over soon', expires_at: '2026-01-01T00:00:20Z' });
  // Each call takes a second.
  for (let second = 0; second < 20; second++) await call(ask, 'list_domains', {});
  const { plan_id } = toolAnswer(await call(ask, 'memory_maintain', { actions: ['expire'] })).value;
  assert.ok(plan_id);
  const args = { dry_run: false, plan_id };
  const question = (await call(ask, 'memory_maintain', args, {}, ASKS)).result;
  assert.match(JSON.stringify(question?.['inputRequests']), /1 actions, of which 1 delete/);
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
  const yes = { requestState: question?.['requestState'], inputResponses };
  assert.equal(toolAnswer(await call(ask, 'memory_maintain', args, yes, ASKS)).value['applied'], true);
};
const CLOCK = ['--test-clock', String(Date.UTC(2026, 0, 1))];
onBoth('a plan of maintenance is applied by its id, after it is confirmed', applied, ...CLOCK);

each('deep arguments of a confirmed call are refused by the tool', async (t, program) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {}, program);
  const ask = askOnStdio(server);
  const id = await stored(ask, 'The boat sleeps');
  const { requestState } = (await call(ask, 'memory_forget', { id }, {}, ASKS)).result ?? {};
  assert.ok(requestState);
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
  // Too deep to be serialised.
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const answers: ReturnType<typeof toolAnswer>[] = [];
  for (const more of [{ requestState, inputResponses, _meta: envelope(ASKS) }, { _meta: envelope() }]) {
    const params = JSON.stringify({ name: 'memory_forget', arguments: { id: 'DEEP' }, ...more });
    const sent = `deep ${answers.length}`;
    const body = params.replace('"DEEP"', deep);
    server.line(`{"jsonrpc":"2.0","id":"${sent}","method":"tools/call","params":${body}}`);
    answers.push(toolAnswer(await server.answer(sent)));
  }
  assert.equal(answers[0]?.isError, true);
  assert.deepEqual(answers[0], answers[1]);
});

onBoth('a request without what every request must say is refused', async (ask) => {
  const bare = await ask('tools/list', {}, 'no object' as unknown as object);
  assert.equal(bare.error?.code, -32_602);
  assert.match(String(bare.error?.message), /clientCapabilities/);
});

each('on stdio a request with an unknown protocol version is rejected', async (t, program) => {
  const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {}, program);
  const ask = askOnStdio(server);
  await ask('tools/list');
  const _meta = { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  server.request('future', 'tools/list', { _meta });
  const { error } = await server.answer('future');
  assert.deepEqual(
    [error?.code, (error as { data?: unknown }).data],
    [-32_022, { supported: [MODERN], requested: '2099-01-01' }],
  );
  server.request('none', 'tools/list');
  assert.equal((await server.answer('none')).error?.code, -32_602);
  server.request('old', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
  assert.equal((await server.answer('old')).error?.code, -32_022);
});

each('over HTTP a request whose headers differ from its body is rejected', async (t, program) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args, {}, program);
  const params = { name: 'list_domains', arguments: {} };
  const post = async (
    change: Record<string, string | undefined>,
    method = 'tools/call',
  ): Promise<[number, unknown]> => {
    const all = { ...headersOf(server, 'tools/call', params), ...change };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: envelope() } });
    const reply = await server.send('/mcp', { method: 'POST', headers: headers as Record<string, string>, body });
    const { id, error } = JSON.parse(reply.body.toString()) as { id: number; error?: { code: number } };
    assert.equal(id, 7);
    return [reply.status, error?.code];
  };
  assert.deepEqual(await post({}), [200, undefined]);
  for (const change of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': undefined },
    { 'mcp-name': 'memory_forget' },
    { 'mcp-name': undefined },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-protocol-version': undefined },
  ]) {
    assert.deepEqual(await post(change), [400, -32_020], JSON.stringify(change));
  }
  assert.deepEqual(await post({ 'mcp-method': 'no/such/method' }, 'no/such/method'), [404, -32_601]);
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await server.send('/mcp', { method, headers: headersOf(server, 'any', {}) });
    assert.deepEqual([status, headers.allow], [405, 'POST'], method);
  }
});

each('over HTTP progress is reported on the stream of the call', async (t, program) => {
  const folder = temporaryFolder();
  const source = join(folder, 'source.jsonl');
  const entity = { type: 'entity', name: 'Ada', entityType: 'Test', observations: ['one'] };
  writeFileSync(source, `${JSON.stringify(entity)}\n`);
  const args = ['--db', join(folder, 'memory.db'), '--http', '0', '--no-model', '--import-dir', folder];
  const server = await listening(t, args, {}, program);
  const params = {
    name: 'migrate',
    arguments: { source_path: source },
    _meta: { ...envelope(), progressToken: 'how far' },
  };
  const reply = await server.send('/mcp', {
    method: 'POST',
    headers: headersOf(server, 'tools/call', params),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const messages = [...reply.body.toString().matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  assert.equal(messages[0]?.method, 'notifications/progress');
  assert.equal(messages[0]?.params.progressToken, 'how far');
  assert.equal(messages.at(-1)?.result.structuredContent.entities_imported, 1);
});

test('a call whose client has disconnected is stopped', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args, { LIMBIC_TEST_HANG: 'open_nodes' });
  const ask = askOverHttp(server);
  await stored(ask, 'Deploys run on Tuesdays');
  const params = { name: 'open_nodes', arguments: { names: ['any'] }, _meta: envelope() };
  const sent = httpRequest(server.url('/mcp'), { method: 'POST', headers: headersOf(server, 'tools/call', params) });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  // Sent later, so that the call has begun by then.
  const version = await ask('tools/list');
  assert.ok(version.result);
  sent.destroy();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 20_000, undefined).unref());
  const answer = await Promise.race([call(ask, 'list_domains', {}), late]);
  assert.ok(answer, 'long before the time limit of the call');
  assert.equal(toolAnswer(answer).isError, false);
});

each('both protocol generations are served at one address, and the older one keeps its codes', async (t, program) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args, {}, program);
  const [legacy, modern] = [await server.connect(t), askOverHttp(server)];
  await legacy.ask('create_domain', { id: 'work' });
  // Several native servers may share a memory, so that sessions keep nothing.
  const hasSessions = program === 'node';
  if (hasSessions) await legacy.ask('select_domain', { id: 'work' });
  assert.equal(toolAnswer(await call(modern, 'list_domains', {})).value['current'], 'general');
  assert.equal((await legacy.ask('list_domains'))['current'], hasSessions ? 'work' : 'general');
  const { id } = (await legacy.ask('memory_store', { content: 'Gone at once' }))['memory'] as { id: string };
  assert.deepEqual((await legacy.ask('memory_forget', { id }))['deleted'], [id]);
  await assert.rejects(legacy.client.readResource({ uri: 'memory://nothing' }), { code: -32_002 });
  assert.match(legacy.client.getServerVersion()?.websiteUrl ?? '', /^https:/);
  const domains = hasSessions ? /select_domain once/ : /give domain with each call/;
  assert.match(legacy.client.getInstructions() ?? '', domains);
});

onBoth('a cursor and an unknown reference are refused', async (ask) => {
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    for (const cursor of ['bogus', '', 5]) assert.equal((await ask(method, { cursor })).error?.code, -32_602, method);
  }
  const argument = { name: 'topic', value: 'a' };
  for (const ref of [
    { type: 'ref/other', name: 'recall-context' },
    { name: 'recall-context' },
    { type: 'ref/prompt', uri: 'memory://entity/{name}' },
    { type: 'ref/resource', name: 'recall-context' },
  ]) {
    assert.equal((await ask('completion/complete', { ref, argument })).error?.code, -32_602, JSON.stringify(ref));
  }
});

onBoth(
  'tools of sessions are not listed beside those of another server either',
  async (ask) => {
    const tools = (await ask('tools/list')).result?.['tools'] as { name: string }[];
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('recall_code') && names.includes('memory_recall'), names.join(' '));
    assert.ok(!names.includes('select_domain'), 'nothing can be selected');
    assert.match(String((await ask('server/discover')).result?.['instructions']), /give domain with each call/);
  },
  '--compat',
  'memory-mcp-server',
);

each('a subscriber is notified of changes of any client', async (t, program) => {
  const db = join(temporaryFolder(), 'memory.db');
  const server = start(t, ['--db', db, '--no-model'], {}, program);
  const other = askOnStdio(start(t, ['--db', db, '--no-model']));
  const ask = askOnStdio(server);
  const { resources } = (await ask('resources/list')).result as { resources: { uri: string }[] };
  const uri = String(resources[0]?.uri);
  const notifications = { resourceSubscriptions: [uri, 'memory://nothing', uri], toolsListChanged: true };
  server.request('listen', 'subscriptions/listen', { notifications, _meta: envelope() });
  const begun = await server.first(({ method }) => method === 'notifications/subscriptions/acknowledged');
  const { notifications: honoured, _meta } = begun['params'] as Record<string, Record<string, unknown>>;
  assert.deepEqual(honoured, { resourceSubscriptions: [uri] }, 'what there is to listen to');
  assert.equal(_meta?.['io.modelcontextprotocol/subscriptionId'], 'listen');
  const updates = (): unknown[] =>
    server.messages.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params);
  await stored(other, 'Written by another process');
  await eventually('the notice', () => updates().length === 1);
  assert.equal((updates()[0] as { uri: string }).uri, uri);
  await stored(ask, 'Written here');
  assert.ok(updates().length >= 2, 'before the answer to the call');
  server.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'listen' } }));
  const before = (await ask('tools/list')) && updates().length;
  await stored(ask, 'Nobody listens');
  assert.equal(updates().length, before);
  const many = { resourceSubscriptions: Array.from({ length: 257 }, (_, number) => `memory://${number}`) };
  server.request('many', 'subscriptions/listen', { notifications: many, _meta: envelope() });
  assert.match(JSON.stringify((await server.answer('many')).error), /-32602.*names 257 resources/);
  server.request('again', 'subscriptions/listen', { notifications, _meta: envelope() });
  await server.first((message) => JSON.stringify(message['params'] ?? '').includes('"again"'));
  server.process.stdin.end();
  assert.equal((await server.answer('again')).result?.['resultType'], 'complete', 'the end is told');
  assert.equal(await server.ended(), 0);
});

each('a subscriber over HTTP is notified of changes, and does not keep the server from ending', async (t, program) => {
  if (process.platform === 'win32') return t.skip('there are no signals');
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args, {}, program);
  const ask = askOverHttp(server);
  const { resources } = (await ask('resources/list')).result as { resources: { uri: string }[] };
  const listen = (uri: string): Promise<Response> => {
    const params = { notifications: { resourceSubscriptions: [uri] }, _meta: envelope() };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params });
    const headers = headersOf(server, 'subscriptions/listen', params);
    return fetch(server.url('/mcp'), { method: 'POST', headers, body });
  };
  const uri = String(resources[0]?.uri);
  const response = await listen(uri);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  let heard = '';
  const done = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += piece;
  })();
  await eventually('the beginning', () => heard.includes('notifications/subscriptions/acknowledged'));
  assert.equal((await listen('m'.repeat(65_536))).status, 413);
  const others = await Promise.all(Array.from({ length: 15 }, () => listen(uri)));
  assert.match(
    await (await listen(uri)).text(),
    /-32603.*16 streams of notifications are open for this token or client/,
  );
  await Promise.all(others.map(({ body }) => body?.cancel()));
  const writer = await server.connect(t);
  await writer.ask('memory_store', { content: 'Written by a client with a session' });
  await eventually('the notice', () => heard.includes('notifications/resources/updated'));
  server.raw.process.kill('SIGTERM');
  assert.equal(await server.raw.ended(), 0);
  await done;
  assert.match(heard, /"resultType":"complete"/, 'the end is told');
});

each('the explorer lists its tools with both protocol generations', async (t, program) => {
  const page = somePage();
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--ui', '--no-model'];
  const server = await listening(t, args, { ...page, LIMBIC_UI_DIR: page['LIMBIC_TEST_UI'] ?? '' }, program);
  const { tools } = (await askOverHttp(server, '/mcp/explorer')('tools/list')).result as { tools: { name: string }[] };
  assert.ok(tools.some(({ name }) => name === 'explore_graph'));
});
