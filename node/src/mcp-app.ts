/**
 * The MCP App: for hosts that declare the extension, the tool `show_memory` with a page (`ui://`), and tools that only
 * the page may see. Other clients see neither.
 */
import { existsSync, readFileSync } from 'node:fs';
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { ToolAccess } from './messages.ts';
import { packagedFile } from './paths.ts';
import type { Params, ProtocolServer } from './protocol-server.ts';
import { isObject } from './exact-json.ts';
import type { Tool } from './tool-catalog.ts';

/** The extension of the protocol, and the type of its pages. */
const EXTENSION = 'io.modelcontextprotocol/ui';
const PAGE_TYPE = 'text/html;profile=mcp-app';
const PAGE_URI = 'ui://limbic/memory.html';
/** The field that hosts with an earlier draft of the extension read. */
const EARLIER_URI_FIELD = 'ui/resourceUri';
const PAGE_FILE = packagedFile('mcp-app.html');

export const SHOW_MEMORY = 'show_memory';
/** The tool that finds what `show_memory` shows, and the arguments that both have. */
export const RECALL = 'memory_recall';
const ARGUMENTS = ['query', 'domain', 'user_id', 'limit'];
/** The field of the result of `show_memory` that lists the tools which the page may call. */
const TOOLS_FIELD = 'limbic/tools';

/** The explorer's tools that the page uses; they only read. */
const PAGE_TOOLS: readonly string[] = ['explore_graph', 'explore_memory', 'explore_entity', 'explore_stats'];
/** The explorer shows entities and memories, so a client must have tools of both. */
const NEEDED_FOR_PAGE_TOOLS = ['search_nodes', RECALL];
const PAGE_TOOLSET = 'explorer';

/** Whether the client of a request shows MCP Apps. */
export function showsApps(server: ProtocolServer, { mcpReq }: ServerContext): boolean {
  const declared = (mcpReq.envelope as Params | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { extensions } = (declared ?? server.getClientCapabilities() ?? {}) as Params;
  const extension = isObject(extensions) ? extensions[EXTENSION] : undefined;
  if (!isObject(extension)) return false;
  const types = extension['mimeTypes'];
  return Array.isArray(types) && types.includes(PAGE_TYPE);
}

/** Marks a list for hosts as private: in protocol 2026-07-28, lists are otherwise cached for all clients. */
export function listForHost<List extends object>(server: ProtocolServer, list: List): List {
  return server.era === 'modern' ? { ...list, cacheScope: 'private' } : list;
}

/** The App for clients that are offered these tools. */
export class McpApp {
  /** The tools that the page adds to the list: `show_memory`, and those of the page. */
  readonly tools: readonly Tool[];
  readonly #pageTools: ReadonlySet<string>;
  readonly #offered: readonly { readonly name: string; readonly readOnly: boolean }[];

  private constructor(tools: readonly Tool[], recall: Tool, all: readonly Tool[]) {
    const names = new Set(tools.map(({ name }) => name));
    const hasBoth = NEEDED_FOR_PAGE_TOOLS.every((name) => names.has(name));
    const pageTools = hasBoth ? all.filter(({ name }) => PAGE_TOOLS.includes(name)) : [];
    this.#pageTools = new Set(pageTools.map(({ name }) => name));
    this.#offered = [...tools, ...pageTools].map(({ name, annotations }) => ({
      name,
      readOnly: annotations.readOnlyHint,
    }));
    this.tools = [showMemory(recall), ...pageTools.map(forPageOnly)];
  }

  /**
   * The App, if it is available: its page is part of the package, and memories can be recalled.
   *
   * @param tools the tools that the client is offered.
   * @param user the only user whose memories it reaches: the explorer's tools have no users.
   * @param all all tools, with complete schemas.
   */
  static for(tools: readonly Tool[], user: string | undefined, all: readonly Tool[]): McpApp | undefined {
    const recall = tools.find(({ name }) => name === RECALL);
    if (recall === undefined || !existsSync(PAGE_FILE)) return undefined;
    return new McpApp(tools, recall, user === undefined ? all : []);
  }

  /** The access of a call: the page's tools belong to another toolset, and only read. */
  accessTo(tool: string, access: ToolAccess | undefined): ToolAccess | undefined {
    return this.#pageTools.has(tool) ? { ...access, toolsets: [PAGE_TOOLSET], readOnly: true } : access;
  }

  /** Fields for the page in the result of `show_memory`, beside the memories. */
  metadata(): Record<string, unknown> {
    return { [TOOLS_FIELD]: this.#offered };
  }

  /** The page in the list of resources. */
  readonly resource = { uri: PAGE_URI, name: 'Memory', description: `The page of ${SHOW_MEMORY}`, mimeType: PAGE_TYPE };

  /** The content of the page, if its resource is read. */
  read(uri: string): object | undefined {
    if (uri !== PAGE_URI) return undefined;
    const text = readFileSync(PAGE_FILE, 'utf8');
    return { contents: [{ uri, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }] };
  }
}

/** The error of `show_memory` for arguments that it does not have. */
export function unknownArgument(args: Params): string | undefined {
  const name = Object.keys(args).find((key) => !ARGUMENTS.includes(key));
  if (name === undefined) return undefined;
  const error = `${SHOW_MEMORY} has no argument "${name}"`;
  return JSON.stringify({ error, code: 'invalid_argument', hint: `It has: ${ARGUMENTS.join(', ')}` });
}

/** The tool that shows memories, with the arguments and the result of `memory_recall`. */
function showMemory({ inputSchema, outputSchema, annotations }: Tool): Tool {
  const { properties } = inputSchema as { readonly properties: Params };
  const own = Object.fromEntries(
    ARGUMENTS.filter((name) => name in properties).map((name) => [name, properties[name]]),
  );
  return {
    name: SHOW_MEMORY,
    title: 'Show memories',
    description:
      'Show the user the memories that answer a question, why each was found, and the graph around them, in a page ' +
      'where they can approve, correct or forget each. Use it when the user wants to see or check memories; ' +
      `to use memories yourself, call ${RECALL}. Returns what ${RECALL} returns.`,
    inputSchema: { type: 'object', properties: own },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations,
    _meta: { ui: { resourceUri: PAGE_URI }, [EARLIER_URI_FIELD]: PAGE_URI },
  };
}

/** A tool of the page: hosts hide it from the model. */
function forPageOnly({ outputSchema: _, ...tool }: Tool): Tool {
  return { ...tool, _meta: { ui: { visibility: ['app'] } } } as Tool;
}
