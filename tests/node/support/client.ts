/** A server that the official client starts and calls over MCP. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { commandOf, type Program } from './places.ts';

/** Deterministic and quick to start: no model is loaded. */
export const TEST_ENCODER = ['--test-encoder'];

/** The answer of a tool. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Record<string, unknown>;
}

/** A running server with its client. */
export class Session {
  readonly client: Client;
  readonly #transport: StdioClientTransport | undefined;
  #stderr = '';

  /** @param transport that of a server of its own, if the client has one. */
  constructor(client: Client, transport?: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
    transport?.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
  }

  /** The process of the server. */
  get pid(): number {
    assert.ok(this.#transport?.pid, 'the server runs');
    return this.#transport.pid;
  }

  /** The log of the server. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Calls a tool; a failure is returned. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: args });
    const content = result['content'] as { type: string; text: string }[];
    assert.equal(content.length, 1);
    const text = content[0]?.text ?? '';
    const isError = result['isError'] === true;
    const value = JSON.parse(text) as Record<string, unknown>;
    if (!isError) assert.deepEqual(result['structuredContent'], value, 'structured content says the same as the text');
    return { isError, text, value };
  }

  /** Calls a tool that must succeed. */
  async ask(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const answer = await this.call(name, args);
    assert.equal(answer.isError, false, answer.text);
    return answer.value;
  }

  /** Calls a tool that must fail. Returns the code of its error. */
  async refused(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.call(name, args);
    assert.equal(answer.isError, true, answer.text);
    assert.equal(typeof answer.value['error'], 'string');
    return String(answer.value['code']);
  }

  /** Closes the client. */
  async leave(): Promise<void> {
    await this.client.close();
  }
}

/** Starts a server and initialises a session. The server is stopped after the test. */
export async function connect(
  test: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: Program = 'node',
  cwd?: string,
): Promise<Session> {
  const [command, ...first] = commandOf(program);
  const transport = new StdioClientTransport({
    command,
    args: [...first, ...args],
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
  });
  const client = new Client({ name: 'limbic-tests', version: '1.0.0' });
  const session = new Session(client, transport);
  await client.connect(transport);
  test.after(() => session.leave());
  return session;
}

/** Arguments that create entities of these names. */
export function entities(...names: string[]): Record<string, unknown> {
  return { entities: names.map((name) => ({ name, entityType: 'Test', observations: [`about ${name}`] })) };
}

/** The names of all entities of a server. */
export async function namesOf(session: Session): Promise<string[]> {
  const names: string[] = [];
  let cursor: unknown;
  do {
    const page = await session.ask('read_graph', { limit: 200, max_tokens: 100_000, ...(cursor ? { cursor } : {}) });
    names.push(...(page['entities'] as { name: string }[]).map((entity) => entity.name));
    cursor = page['next_cursor'];
  } while (cursor);
  return names.sort();
}

/** Repeats a check until it holds; fails after a timeout. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>, millis = 20_000): Promise<void> {
  const end = performance.now() + millis;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `${what}: not within ${millis} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
