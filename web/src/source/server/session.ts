import './zod-without-eval.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { RawAnswer } from '../base-source.ts';
import type { Tool } from '../tools.ts';

/** The client name of this page in the server's log. */
const CLIENT = { name: 'limbic-explorer', version: '0.1.0' };
/** The server runs calls in the order of their arrival; an import by an agent may take long. */
const TIMEOUT_MILLIS = 10 * 60 * 1000;

/** Answers are not validated: the core has validated them. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

/** An MCP session with the server, which is recreated if the server has dropped it. */
export class Session {
  readonly #url: URL;
  readonly #token: string;
  #connection: Promise<Connection> | undefined;
  /** The labels of all sessions of this page. */
  readonly #labels = new Set<string>();

  constructor(url: URL, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** The session's label in the server's call log. */
  get name(): Promise<string | undefined> {
    return this.#connection?.then(labelOf) ?? Promise.resolve(undefined);
  }

  /** Whether a session of the server's call log is, or was, one of this page. */
  async owns(label: string): Promise<boolean> {
    await this.#connection?.catch(() => undefined);
    return this.#labels.has(label);
  }

  async tools(): Promise<readonly Tool[]> {
    return this.#withClient(async (client) => {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools({ cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return tools as Tool[];
    });
  }

  async call(tool: string, args: string): Promise<RawAnswer> {
    return this.#withClient(async (client) => {
      const params = { name: tool, arguments: JSON.parse(args) as Record<string, unknown> };
      const result = await client.callTool(params, undefined, { timeout: TIMEOUT_MILLIS });
      const [content] = result.content as readonly { readonly type: string; readonly text?: string }[];
      return {
        isError: result.isError === true,
        text: content?.text ?? JSON.stringify(result.structuredContent ?? {}),
      };
    });
  }

  close(): void {
    void this.#connection?.then(({ client }) => client.close()).catch(() => {});
    this.#connection = undefined;
  }

  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const connection = this.#connect();
    try {
      return await work((await connection).client);
    } catch (error) {
      // The server was restarted and has not run this call.
      if (!(error instanceof StreamableHTTPError) || error.code !== 404) throw error;
      // Only the session that the server does not know: another call may have made a new one meanwhile. It is not
      // closed, which would reject the other calls that still wait for their answers.
      if (this.#connection === connection) this.#connection = undefined;
      return work((await this.#connect()).client);
    }
  }

  #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const connection = connect(this.#url, this.#token).then(
      (made) => {
        const label = labelOf(made);
        if (label !== undefined) this.#labels.add(label);
        return made;
      },
      (error: unknown) => {
        if (this.#connection === connection) this.#connection = undefined;
        throw error;
      },
    );
    this.#connection = connection;
    return connection;
  }
}

interface Connection {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

function labelOf({ transport }: Connection): string | undefined {
  return transport.sessionId?.slice(0, 8);
}

async function connect(url: URL, token: string): Promise<Connection> {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: withoutStream,
  });
  const client = new Client(CLIENT, { jsonSchemaValidator: UNCHECKED });
  await client.connect(transport);
  return { client, transport };
}

/**
 * Sends requests but the one that opens a stream of notifications, which the page does not use: a server without
 * streams would refuse it, and browsers log that as an error.
 */
async function withoutStream(url: string | URL, init?: RequestInit): Promise<Response> {
  return init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(url, init);
}
