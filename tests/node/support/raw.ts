/** A server at the level of lines and processes, for input that the official client never sends. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { commandOf, type Program } from './places.ts';

/** A message of the server. */
export type Message = Record<string, unknown> & {
  readonly id?: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};

/** A server with its input and output lines. */
export class RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  readonly messages: Message[] = [];
  /** The output lines as they were sent. */
  readonly lines: string[] = [];
  /** Output lines that are not JSON; none are expected. */
  readonly strayLines: string[] = [];
  stderr = '';
  #arrived: () => void = () => {};
  readonly #exit: Promise<unknown[]>;
  readonly #linesEnded: Promise<unknown[]>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, program: Program = 'node') {
    const [command, ...first] = commandOf(program);
    this.process = spawn(command, [...first, ...args], { env: { ...process.env, ...env } });
    this.#exit = once(this.process, 'exit');
    this.process.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.process.stdin.on('error', () => {});
    const lines = createInterface({ input: this.process.stdout });
    this.#linesEnded = once(lines, 'close');
    lines.on('line', (line) => {
      this.lines.push(line);
      try {
        this.messages.push(JSON.parse(line) as Message);
      } catch {
        this.strayLines.push(line);
      }
      this.#arrived();
    });
  }

  /** Sends a line unchanged. */
  line(text: string): void {
    this.process.stdin.write(`${text}\n`);
  }

  /** Sends a request without waiting. */
  request(id: string | number, method: string, params: Record<string, unknown> = {}): void {
    this.line(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  /** Sends a call of a tool without waiting. */
  call(id: string | number, name: string, args: Record<string, unknown>): void {
    this.request(id, 'tools/call', { name, arguments: args });
  }

  /** Initialises the session. */
  async initialize(): Promise<Message> {
    this.request('hello', 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    const answer = await this.answer('hello');
    this.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return answer;
  }

  /** Waits for the answer to a request. */
  answer(id: string | number | null): Promise<Message> {
    return this.first((message) => message.id === id && !('method' in message));
  }

  /** Waits for a message. */
  async first(isIt: (message: Message) => boolean, millis = 20_000): Promise<Message> {
    const end = performance.now() + millis;
    for (;;) {
      const found = this.messages.find(isIt);
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`no such message within ${millis} ms. stderr: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
        setTimeout(resolve, 200);
      });
    }
  }

  /** Waits until the process has exited and its output has been read. Returns its exit code. */
  async ended(): Promise<number | null> {
    const [code] = await this.#exit;
    await this.#linesEnded;
    return code as number | null;
  }
}

/** Starts a server that is killed after the test if it still runs. */
export function start(
  test: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: Program = 'node',
): RawServer {
  const server = new RawServer(args, env, program);
  test.after(() => server.process.kill('SIGKILL'));
  return server;
}
