/** A running `limbic-memory --ui`, and a second client of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { server as builtServer } from './places.ts';

const START_MILLIS = 20_000;

export interface ServerOptions {
  readonly port?: number;
  readonly token?: string;
  readonly isReadOnly?: boolean;
  /** Further options of the server. */
  readonly options?: readonly string[];
}

export class LimbicServer {
  readonly #child: ChildProcess;
  /** The printed address of the explorer, with the token. */
  readonly address: string;
  readonly port: number;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
    this.port = Number(new URL(address).port);
  }

  /** Starts a server with the explorer on a database file, on a free port if none is given. */
  static async start(database: string, started: ServerOptions = {}): Promise<LimbicServer> {
    const { port, token, isReadOnly = false, options = ['--test-encoder'] } = started;
    const given = token === undefined ? [] : ['--token', token];
    const ui = port === undefined ? ['--ui'] : ['--ui', String(port)];
    const args = [
      join(builtServer(), 'main.js'),
      '--db',
      database,
      ...ui,
      ...options,
      ...given,
      ...(isReadOnly ? ['--read-only'] : []),
    ];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LIMBIC_')));
    // The end of its input would end the server.
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe'], env });
    const address = await printedAddress(child);
    // A token that was given is not printed.
    return new LimbicServer(child, token === undefined ? address : `${new URL('/', address).href}#token=${token}`);
  }

  get token(): string {
    return new URLSearchParams(new URL(this.address).hash.slice(1)).get('token') ?? '';
  }

  /** Connects another client, as an agent's program does. */
  async connect(name: string): Promise<Client> {
    const client = new Client({ name, version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${this.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', this.address), { requestInit }));
    return client;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the server printed no address: ${text}`)), START_MILLIS);
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, found] = /explorer: (http:\/\/\S+?)(?:,|\s)/.exec(text) ?? [];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${text}`));
    });
  });
}
