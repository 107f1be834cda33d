/** Unusual messages and requests, which both programs answer alike. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { entities, eventually } from './support/client.ts';
import { type HttpServer, INITIALIZE, listening, MCP_HEADERS } from './support/http.ts';
import { envelope, headersOf, MODERN } from './support/modern.ts';
import { PROGRAMS, type Program, temporaryFolder } from './support/places.ts';
import { start } from './support/raw.ts';

/** A request whose members are JSON. */
function request(id: string, method: string, params?: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`;
}

/** The code of the error that answers a line, or what it is instead. */
type Outcome = number | 'served' | 'silent';

/** Lines up to 2025-11-25, with the outcome and a part of the error. */
const LINES: readonly [line: string, outcome: Outcome, told?: string][] = [
  // Unknown members are ignored, as later versions of the protocol may add some.
  ['{"jsonrpc":"2.0","id":1,"method":"ping","later":{"a":1}}', 'served'],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 'served'],
  ['{"jsonrpc":"2.0","method":"notifications/initialized","later":null}', 'silent'],
  [request('1', 'tools/list', '{"later":7}'), 'served'],
  // "_meta" is a JSON object, and a progress token a string or a number.
  [request('1', 'ping', '{"_meta":null}'), -32600, 'The "_meta" of the params must be a JSON object'],
  [request('1', 'ping', '{"_meta":[]}'), -32600, 'The "_meta" of the params must be a JSON object'],
  [request('1', 'tools/list', '{"_meta":"a"}'), -32600, 'The "_meta" of the params must be a JSON object'],
  [
    request('1', 'ping', '{"_meta":{"progressToken":null}}'),
    -32600,
    'The "progressToken" must be a string or a number',
  ],
  [request('1', 'ping', '{"_meta":{"progressToken":{}}}'), -32600, 'The "progressToken" must be a string or a number'],
  [request('1', 'ping', '{"_meta":{"progressToken":1.5,"later":1}}'), 'served'],
  // Of a repeated name, the last value counts.
  ['{"jsonrpc":"1.0","jsonrpc":"2.0","id":7,"id":1,"method":"nope","method":"ping","params":[],"params":{}}', 'served'],
  [request('1', 'tools/call', '{"name":5,"name":"read_graph","arguments":[],"arguments":{"limit":1}}'), 'served'],
  [request('1', 'tools/list', '{"cursor":"a","cursor":null}'), 'served'],
  [request('1', 'resources/read', '{"uri":"memory://knowledge-graph","uri":"memory://nothing"}'), -32002],
  // Escapes are read.
  ['{"jsonrpc":"\\u0032.0","id":1,"m\\u0065thod":"p\\u0069ng"}', 'served'],
  // Lone surrogates are replaced in names.
  [request('1', '\\ud800'), -32601, 'unknown method '],
  [request('1', 'tools/call', '{"name":"\\ud800"}'), 'served'],
  [request('1', 'prompts/get', '{"name":"\\ud800"}'), -32602, 'There is no prompt named "\u{fffd}"'],
  [request('1', 'resources/read', '{"uri":"memory://\\ud800"}'), -32002, 'Resource memory://\u{fffd} not found'],
  // The tool refuses them.
  [
    request(
      '1',
      'tools/call',
      `{"name":"memory_store","arguments":{"content":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    ),
    'served',
  ],
  // A response is never answered, whatever it contains.
  ['{"jsonrpc":"2.0","id":1,"error":{}}', 'silent'],
  ['{"jsonrpc":"2.0","id":1,"result":"a"}', 'silent'],
  ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"a"}}', 'silent'],
  ['{"jsonrpc":"2.0","error":{"code":1,"message":"a"}}', 'silent'],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"a"}}', 'silent'],
  // Parameters.
  ['{"jsonrpc":"2.0","id":1,"method":7}', -32600, 'The method must be a string'],
  [request('1', 'resources/read'), -32602, 'resources/read requires "uri", a text'],
  [request('1', 'resources/subscribe', '{"uri":7}'), -32602, 'resources/subscribe requires "uri", a text'],
  [request('1', 'prompts/get', '{"name":null}'), -32602, 'prompts/get requires "name", a text'],
  [
    request('1', 'prompts/get', '{"name":"a","arguments":null}'),
    -32602,
    'the "arguments" of prompts/get must be a JSON object',
  ],
  ...(
    [
      ['{}', 'the "ref" of completion/complete has the "type" "ref/prompt" or "ref/resource"'],
      ['{"ref":null}', 'the "ref" of completion/complete must be a JSON object'],
      ['{"ref":{"type":"ref/prompt"}}', 'completion/complete requires "name", a text'],
      [
        '{"ref":{"type":"ref/prompt","name":"a"},"argument":["a","b"]}',
        'the "argument" of completion/complete must be',
      ],
      ['{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":7}}', 'requires "value", a text'],
      [
        '{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""},"context":null}',
        'the "context" of completion/complete must be a JSON object',
      ],
      [
        '{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""},"context":{"arguments":[]}}',
        'the "arguments" of completion/complete must be a JSON object',
      ],
    ] as const
  ).map(([params, told]) => [request('1', 'completion/complete', params), -32602, told] as [string, Outcome, string]),
];

async function serve(t: TestContext, program: Program): Promise<HttpServer> {
  return listening(t, ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'], {}, program);
}

/** The message in a response of JSON or of one event. */
function messageIn(body: Buffer): { id?: unknown; error?: { code: number; message: string } } {
  const text = body.toString();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as ReturnType<typeof messageIn>;
}

for (const program of PROGRAMS) {
  test(`${program} reads unusual lines as the protocol defines them`, async (t) => {
    const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {}, program);
    await server.initialize();
    for (const [index, [line, outcome, told]] of LINES.entries()) {
      const before = server.messages.length;
      server.line(line);
      server.request(`next ${index}`, 'ping');
      await server.answer(`next ${index}`);
      const isNew = (message: (typeof server.messages)[number]): boolean =>
        server.messages.indexOf(message) >= before && message.id !== `next ${index}`;
      if (outcome === 'silent') {
        assert.deepEqual(server.messages.filter(isNew), [], line);
        continue;
      }
      const answer = await server.first(isNew);
      assert.deepEqual([answer.id, answer.error?.code ?? 'served'], [1, outcome], `${line}: ${JSON.stringify(answer)}`);
      assert.ok(answer.error?.message.includes(told ?? '') !== false, `${line}: ${JSON.stringify(answer)}`);
    }
    assert.deepEqual(server.strayLines, []);
  });

  test(`${program} reads a name with a lone surrogate at the initialisation`, async (t) => {
    const server = start(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model'], {}, program);
    const client = '"capabilities":{},"clientInfo":{"name":"a\\ud800","version":"0"}';
    server.line(request('0', 'initialize', `{"protocolVersion":"2025-03-26",${client}}`));
    assert.equal((await server.answer(0)).result?.['protocolVersion'], '2025-03-26');
    server.line(`[${request('1', 'ping')}]`);
    await eventually('the batch is answered', () => server.lines.some((line) => line.startsWith('[')));
    const http = await serve(t, program);
    const headers = { ...http.pass, ...MCP_HEADERS };
    const body = request('0', 'initialize', `{"protocolVersion":"2025-03-26",${client}}`);
    const begun = await http.send('/mcp', { method: 'POST', headers, body });
    const session = { ...headers, 'mcp-session-id': String(begun.headers['mcp-session-id']) };
    const batch = await http.send('/mcp', { method: 'POST', headers: session, body: `[${request('1', 'ping')}]` });
    assert.equal(batch.status, 200, batch.body.toString());
  });

  test(`${program} answers with a type that its client accepts`, async (t) => {
    const server = await serve(t, program);
    const session = await server.begin();
    const modernHeaders = headersOf(server, 'tools/list', {});
    const params = JSON.stringify({ _meta: envelope() });
    const [ping, list] = [request('1', 'ping'), request('1', 'tools/list', params)];
    for (const [accept, status, isJson] of [
      [undefined, 200, false],
      ['*/*', 200, false],
      ['Application/JSON, Text/Event-Stream;q=0.1', 200, false],
      ['application/json', 200, true],
      ['application/*, text/event-stream;q=0', 200, true],
      ['text/event-stream', 200, false],
      ['text/html', 406, true],
      ['application/jsonx, text/event-streamx', 406, true],
    ] as const) {
      for (const [headers, body] of [
        [session, ping],
        [{ ...server.pass, ...MCP_HEADERS }, INITIALIZE],
        [modernHeaders, list],
      ] as const) {
        const { accept: _, ...others } = headers;
        const sent = accept === undefined ? others : { ...others, accept };
        const reply = await server.send('/mcp', { method: 'POST', headers: sent, body });
        const what = `${accept} ${body.slice(0, 60)} ${reply.headers['content-type']}: ${reply.body.toString()}`;
        assert.equal(reply.status, status, what);
        if (isJson) assert.equal(reply.headers['content-type'], 'application/json', what);
        if (accept === 'text/event-stream') {
          const isStream = program === 'node' && headers !== modernHeaders;
          assert.equal(reply.headers['content-type'], isStream ? 'text/event-stream' : 'application/json', what);
        }
        assert.equal(messageIn(reply.body).id, (JSON.parse(body) as { id: number }).id, what);
      }
    }
    // Progress would precede the answer on a stream.
    const meta = { ...envelope(), progressToken: 1 };
    const call = JSON.stringify({ name: 'create_entities', arguments: entities('Ada'), _meta: meta });
    const called = await server.send('/mcp', {
      method: 'POST',
      headers: { ...headersOf(server, 'tools/call', { name: 'create_entities' }), accept: 'application/json' },
      body: request('"call"', 'tools/call', call),
    });
    assert.deepEqual([called.status, messageIn(called.body).id], [200, 'call'], called.body.toString());
    // Its answer is a stream that stays open.
    const notifications = { resourceSubscriptions: ['memory://knowledge-graph'] };
    const listen = await server.send('/mcp', {
      method: 'POST',
      headers: { ...headersOf(server, 'subscriptions/listen', {}), accept: 'application/json' },
      body: request('1', 'subscriptions/listen', JSON.stringify({ notifications, _meta: envelope() })),
    });
    assert.deepEqual([listen.status, listen.code, messageIn(listen.body).id], [406, 'not_acceptable', 1], MODERN);
  });
}

/** A request, by what is changed of the headers of a session or of protocol 2026-07-28, with its outcome. */
type HttpCase = readonly [
  of: 'none' | 'session' | 'modern',
  method: string,
  headers: Record<string, string | string[]>,
  body: string,
  status: number,
  code: number | undefined,
];

const NOTICE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

function initialization(params: string): string {
  return request('1', 'initialize', params);
}

const MODERN_LIST = request('1', 'tools/list', JSON.stringify({ _meta: envelope() }));

const REQUESTS: readonly HttpCase[] = [
  // An initialisation is read as on stdio.
  ['none', 'POST', {}, initialization('{"protocolVersion":"2025-06-18"}'), 200, undefined],
  ['none', 'POST', {}, initialization('{"protocolVersion":"2025-06-18","capabilities":{"roots":7}}'), 200, undefined],
  ['none', 'POST', {}, initialization('{"capabilities":{}}'), 200, -32602],
  ['none', 'POST', {}, initialization('{"protocolVersion":"2025-06-18","capabilities":null}'), 200, -32602],
  ['none', 'POST', { 'mcp-protocol-version': '1999-01-01' }, INITIALIZE, 400, -32000],
  ['none', 'POST', { 'mcp-protocol-version': MODERN }, INITIALIZE, 400, -32020],
  // What is no message is refused as such, also without a session.
  ['none', 'POST', {}, request('1', 'ping', '{"_meta":null}'), 400, -32600],
  ['modern', 'POST', {}, request('1', 'tools/list', '{"_meta":null}'), 400, -32600],
  // A session that is named does not matter to protocol 2026-07-28.
  ['session', 'POST', { 'mcp-protocol-version': MODERN }, NOTICE, 202, undefined],
  ['session', 'POST', {}, NOTICE, 202, undefined],
  ['session', 'POST', {}, '{"jsonrpc":"2.0","id":1,"result":7}', 202, undefined],
  // A repeated header names none of its values: others may read another one than this server.
  ['modern', 'POST', { 'mcp-method': ['tools/list', 'tools/call'] }, MODERN_LIST, 400, -32020],
  ['session', 'POST', { 'mcp-protocol-version': ['2025-06-18', '1999-01-01'] }, request('1', 'ping'), 400, -32000],
  ['session', 'POST', { 'mcp-session-id': ['a', 'b'] }, request('1', 'ping'), 404, -32001],
  ['session', 'POST', { host: '127.0.0.1:65536' }, request('1', 'ping'), 403, -32000],
  // The version is checked before a session is ended.
  ['session', 'DELETE', { 'mcp-protocol-version': '1999-01-01' }, '', 400, undefined],
  ['session', 'POST', {}, request('1', 'ping'), 200, undefined],
];

for (const program of PROGRAMS) {
  test(`${program} checks the headers of a request`, async (t) => {
    const server = await serve(t, program);
    const session = await server.begin();
    const modern = headersOf(server, 'tools/list', {});
    const base = { none: { ...server.pass, ...MCP_HEADERS }, session, modern };
    for (const [of, method, changed, body, status, code] of REQUESTS) {
      const headers = { ...base[of], ...changed } as Record<string, string>;
      const reply = await server.send('/mcp', { method, headers, body });
      const what = `${of} ${method} ${JSON.stringify(changed)} ${body}: ${reply.body.toString()}`;
      assert.equal(reply.status, status, what);
      if (method === 'POST' && status !== 202) assert.equal(messageIn(reply.body).error?.code, code, what);
    }
    const ended = async (): Promise<number> =>
      (await server.send('/mcp', { method: 'DELETE', headers: session })).status;
    assert.deepEqual([Math.floor((await ended()) / 100), await ended()], [2, 404]);
  });
}
