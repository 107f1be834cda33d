/** A server over HTTP, and its clients. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, Session } from './client.ts';
import { type Program, temporaryFolder } from './places.ts';
import { type RawServer, start } from './raw.ts';

/** A response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The code of an error. */
  readonly code: string | undefined;
}

/** The headers that MCP requires of a request. */
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
  /** The token of MCP clients. */
  readonly token: string;
  /** The token of the explorer; empty without one. */
  readonly pageToken: string;

  constructor(raw: RawServer, port: number, token: string, pageToken: string) {
    this.raw = raw;
    this.port = port;
    this.token = token;
    this.pageToken = pageToken;
  }

  /** The authorization header of an MCP client. */
  get pass(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  /** The authorization header of the explorer. */
  get pagePass(): Record<string, string> {
    return { authorization: `Bearer ${this.pageToken}` };
  }

  /** The header for a path. */
  passFor(path: string): Record<string, string> {
    return /^\/(?:api|mcp\/explorer)\b/.test(path) ? this.pagePass : this.pass;
  }

  /** An address. */
  url(path: string): URL {
    return new URL(path, `http://127.0.0.1:${this.port}`);
  }

  /** Connects a client of the official SDK. */
  async connect(test: TestContext, name = 'limbic-tests', path = '/mcp'): Promise<Session> {
    const client = new Client({ name, version: '1.0.0' });
    const session = new Session(client);
    await client.connect(
      new StreamableHTTPClientTransport(this.url(path), { requestInit: { headers: this.passFor(path) } }),
    );
    test.after(() => session.leave());
    return session;
  }

  /** Sends exactly these headers and this path, valid or not. */
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

  /** Begins a session. Returns its headers. */
  async begin(): Promise<Record<string, string>> {
    const headers = { ...this.pass, ...MCP_HEADERS };
    const reply = await this.send('/mcp', { method: 'POST', headers, body: INITIALIZE });
    assert.equal(reply.status, 200, reply.body.toString());
    return { ...headers, 'mcp-session-id': String(reply.headers['mcp-session-id']) };
  }

  /** Reads JSON with the token. */
  async json(path: string): Promise<Record<string, unknown>> {
    const reply = await this.send(path, { headers: this.passFor(path) });
    assert.equal(reply.status, 200, reply.body.toString());
    return JSON.parse(reply.body.toString()) as Record<string, unknown>;
  }

  /** Reads the stream of events, from `hello` on. */
  async events(test: TestContext): Promise<Record<string, unknown>[]> {
    const stop = new AbortController();
    test.after(() => stop.abort());
    const response = await fetch(this.url('/api/events'), { headers: this.pagePass, signal: stop.signal });
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
  program: Program = 'node',
): Promise<HttpServer> {
  const raw = start(test, args, env, program);
  await eventually('it listens', () => /MCP over HTTP: .*"\n/.test(raw.stderr) || raw.process.exitCode !== null);
  // Behind a proxy, the log has the proxy's address, then the address on which its requests are expected.
  const [, port] = /(?:MCP over HTTP:|expected at) http:\/\/[^\s]*:(\d+)\b/.exec(raw.stderr) ?? [];
  assert.ok(port, raw.stderr);
  const made = madeTokens(raw.stderr);
  const chosen = (option: string): string | undefined =>
    args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
  const token = env['LIMBIC_TOKEN'] ?? chosen('--token') ?? made.token;
  const pageToken = env['LIMBIC_PAGE_TOKEN'] ?? chosen('--page-token') ?? made.pageToken;
  return new HttpServer(raw, Number(port), token ?? '', pageToken ?? '');
}

/** The tokens that a server has generated, read from the file that it names, since it has no terminal. */
export function madeTokens(stderr: string): { token?: string | undefined; pageToken?: string | undefined } {
  const [, path] = /the tokens of this server are in (.+)\n/.exec(stderr) ?? [];
  if (path === undefined) return {};
  const text = readFileSync(path, 'utf8');
  const [, token] = /Bearer ([\w-]{43})"/.exec(text) ?? [];
  const [, pageToken] = /#token=([\w-]{43})\n/.exec(text) ?? [];
  return { token, pageToken };
}

/** Environment variables that replace the explorer by a small page. */
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
    const { code, error } = JSON.parse(body.toString()) as { code?: string; error?: { data?: { code?: string } } };
    return code ?? error?.data?.code;
  } catch {
    return undefined;
  }
}
