/** A running `limbic-memory --ui`, or `limbic serve --http --ui`, and a second client of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { server as builtServer, PAGE } from './places.ts';

const START_MILLIS = 20_000;

export interface ServerOptions {
  /** The native program, in place of the Node server. */
  readonly program?: string | undefined;
  /** Where the native program writes the tokens of a server of a memory in PostgreSQL. */
  readonly dataFolder?: string;
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  readonly isReadOnly?: boolean;
  /** Further options of the server. */
  readonly options?: readonly string[];
}

export class LimbicServer {
  readonly #child: ChildProcess;
  /** The address of the explorer, with its token. */
  readonly address: string;
  readonly port: number;
  readonly agentToken: string;

  private constructor(child: ChildProcess, address: string, agentToken: string) {
    this.#child = child;
    this.address = address;
    this.agentToken = agentToken;
    this.port = Number(new URL(address).port);
  }

  /** Starts a server with the explorer on a database file or store, on a free port if none is given. */
  static async start(database: string, started: ServerOptions = {}): Promise<LimbicServer> {
    const { program, dataFolder, port, token, isReadOnly = false, options = ['--test-encoder'] } = started;
    const given = token === undefined ? [] : ['--page-token', token];
    const ui = port === undefined ? ['--ui'] : ['--ui', String(port)];
    const args = [
      ...(program === undefined ? [join(builtServer(), 'main.js')] : ['serve', '--ui-dir', PAGE]),
      '--db',
      database,
      ...ui,
      ...options,
      ...given,
      ...(isReadOnly ? ['--read-only'] : []),
    ];
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LIMBIC_'));
    const env = { ...Object.fromEntries(inherited), ...(dataFolder !== undefined && { XDG_DATA_HOME: dataFolder }) };
    // The Node server ends with its input.
    const child = spawn(program ?? process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe'], env });
    const { address, file } = await printed(child);
    // The server has written the tokens that it made to a file, since it has no terminal.
    const made = readFileSync(file, 'utf8');
    const [, pageToken = token] = /#token=(\S+)/.exec(made) ?? [];
    const [, agentToken = ''] = /Bearer (\S+?)"/.exec(made) ?? [];
    return new LimbicServer(child, `${new URL('/', address).href}#token=${token ?? pageToken}`, agentToken);
  }

  /** The token of the explorer. */
  get token(): string {
    return new URLSearchParams(new URL(this.address).hash.slice(1)).get('token') ?? '';
  }

  /** The address of the explorer, with another token. */
  addressWith(token: string): string {
    return `${new URL('/', this.address).href}#token=${token}`;
  }

  /** Connects another client, as an agent does. */
  async connect(name: string, capabilities: ClientCapabilities = {}): Promise<Client> {
    const client = new Client({ name, version: '1.0.0' }, { capabilities });
    const requestInit = { headers: { authorization: `Bearer ${this.agentToken}` } };
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

function printed(child: ChildProcess): Promise<{ address: string; file: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the server printed no address: ${text}`)), START_MILLIS);
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, address] = /explorer: (http:\/\/\S+?)(?:,|\s)/.exec(text) ?? [];
      const [, file] = /the tokens of this server are in (.+)\n/.exec(text) ?? [];
      if (address === undefined || file === undefined) return;
      clearTimeout(timer);
      resolve({ address, file });
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${text}`));
    });
  });
}
