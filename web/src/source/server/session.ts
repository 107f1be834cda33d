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

  constructor(url: URL, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** The session's label in the server's call log. */
  get name(): Promise<string | undefined> {
    return this.#connection?.then(({ transport }) => transport.sessionId?.slice(0, 8)) ?? Promise.resolve(undefined);
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

  forget(): void {
    void this.#connection?.then(({ client }) => client.close()).catch(() => {});
    this.#connection = undefined;
  }

  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await work((await this.#connect()).client);
    } catch (error) {
      // The server was restarted and has not run this call.
      if (!(error instanceof StreamableHTTPError) || error.code !== 404) throw error;
      this.forget();
      return work((await this.#connect()).client);
    }
  }

  #connect(): Promise<Connection> {
    this.#connection ??= connect(this.#url, this.#token).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }
}

interface Connection {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
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
