/** A server that listens for HTTP, and those who talk to it. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, Session } from './client.ts';
import { temporaryFolder } from './places.ts';
import { type RawServer, start } from './raw.ts';

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The code of a refusal. */
  readonly code: string | undefined;
}

/** What MCP wants of a request. */
export const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The first message of a client. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** A running server, by its address. */
export class HttpServer {
  readonly raw: RawServer;
  readonly port: number;
  readonly token: string;

  constructor(raw: RawServer, port: number, token: string) {
    this.raw = raw;
    this.port = port;
    this.token = token;
  }

  /** The header that lets a client in. */
  get pass(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  /** An address. */
  url(path: string): URL {
    return new URL(path, `http://127.0.0.1:${this.port}`);
  }

  /** Connects a client of the official SDK. */
  async connect(test: TestContext, name = 'limbic-tests', path = '/mcp'): Promise<Session> {
    const client = new Client({ name, version: '1.0.0' });
    const session = new Session(client);
    await client.connect(new StreamableHTTPClientTransport(this.url(path), { requestInit: { headers: this.pass } }));
    test.after(() => session.leave());
    return session;
  }

  /** Sends exactly these headers and this path, as no well-behaved client would. */
  async send(
    path: string,
    options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<Reply> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent: ClientRequest = httpRequest(
        { host: '127.0.0.1', port: this.port, path, method: options.method ?? 'GET', headers: options.headers ?? {} },
        resolve,
      );
      sent.on('error', reject);
      sent.end(options.body);
    });
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    return { status: response.statusCode ?? 0, headers: response.headers, body, code: codeIn(body) };
  }

  /** Begins a session, and gives the headers that belong to it. */
  async begin(): Promise<Record<string, string>> {
    const headers = { ...this.pass, ...MCP_HEADERS };
    const reply = await this.send('/mcp', { method: 'POST', headers, body: INITIALIZE });
    assert.equal(reply.status, 200, reply.body.toString());
    return { ...headers, 'mcp-session-id': String(reply.headers['mcp-session-id']) };
  }

  /** Reads JSON with the token. */
  async json(path: string): Promise<Record<string, unknown>> {
    const reply = await this.send(path, { headers: this.pass });
    assert.equal(reply.status, 200, reply.body.toString());
    return JSON.parse(reply.body.toString()) as Record<string, unknown>;
  }

  /** Listens to what goes on, from its `hello` on. */
  async events(test: TestContext): Promise<Record<string, unknown>[]> {
    const stop = new AbortController();
    test.after(() => stop.abort());
    const response = await fetch(this.url('/api/events'), { headers: this.pass, signal: stop.signal });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const heard: Record<string, unknown>[] = [];
    void collect(response, heard).catch(() => {});
    await eventually('hello', () => heard.length > 0);
    return heard;
  }
}

/** Starts a server that listens, and waits until it does. */
export async function listening(
  test: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<HttpServer> {
  const raw = start(test, args, env);
  await eventually('it listens', () => /MCP over HTTP: .*"\n/.test(raw.stderr) || raw.process.exitCode !== null);
  // Behind a proxy, the address of the proxy is shown, and where its requests are expected.
  const [, port] = /(?:MCP over HTTP:|expected at) http:\/\/[^\s]*:(\d+)\b/.exec(raw.stderr) ?? [];
  assert.ok(port, raw.stderr);
  const [, token] = /Bearer ([\w-]{43})"/.exec(raw.stderr) ?? [];
  const chosen = args[args.indexOf('--token') + 1] ?? '';
  return new HttpServer(raw, Number(port), env['LIMBIC_TOKEN'] ?? token ?? chosen);
}

/** Variables that put a small page in the explorer's place. */
export function somePage(): Record<string, string> {
  const folder = join(temporaryFolder(), 'ui');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, '..', 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Limbic</title>');
  writeFileSync(join(folder, 'manifest.webmanifest'), '{}');
  writeFileSync(join(folder, 'assets', 'index-DiwrgTda.js'), 'export {};');
  writeFileSync(join(folder, 'assets', 'core-B4xk_9-s.wasm'), Buffer.from([0, 97, 115, 109]));
  return { LIMBIC_TEST_UI: folder };
}

async function collect(response: Response, heard: Record<string, unknown>[]): Promise<void> {
  assert.ok(response.body);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n')) {
      const line = text.slice(0, at);
      text = text.slice(at + 2);
      if (line.startsWith('data: ')) heard.push(JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
    }
  }
}

function codeIn(body: Buffer): string | undefined {
  try {
    return (JSON.parse(body.toString()) as { code?: string }).code;
  } catch {
    return undefined;
  }
}
