/** The tools that a client may use. */
import type { CoreThread } from './core-thread.ts';
import { McpApp } from './mcp-app.ts';
import type { ToolAccess } from './messages.ts';
import type { Options } from './options.ts';
import type { ProtocolEra } from './protocol-server.ts';
import { INSTRUCTIONS } from 'limbic-pkg/instructions.mts';
import { ToolCatalog, type Tool } from './tool-catalog.ts';

/** The tools that are offered to a kind of client. */
export interface ToolFilter {
  /** The access of its calls; default: that of the settings. */
  readonly access: ToolAccess | undefined;
  readonly lists: Readonly<Record<ProtocolEra, ToolList>>;
  /** Whether the calls are a person's in the explorer. */
  readonly isExplorer: boolean;
}

/** The tools and instructions for clients of an era. */
export interface ToolList {
  /** The instructions at initialisation. */
  readonly instructions: string | undefined;
  readonly tools: () => Promise<Tool[]>;
  /** The additional offer for hosts of MCP Apps. */
  readonly app?: McpApp | undefined;
}

/**
 * The explorer also uses tools that are not offered to agents. `all` has those of the code index, if agents are offered
 * them.
 */
const EXPLORER_TOOLSETS: readonly string[] = ['all', 'explorer'];

/** The server whose tools are offered beside ours, which the instructions are about. */
const BESIDE_OURS = 'memory-mcp-server';

/** The tools that the options select, for agents, or those of an access that differs. */
export function agentToolFilter(
  core: CoreThread,
  options: Options,
  catalog: ToolCatalog,
  access?: ToolAccess,
): ToolFilter {
  if (options.compat !== undefined && access?.toolsets === undefined && access?.user === undefined) {
    // The tool list of an emulated server comes from the core.
    const legacy = once(async () => (await listed(core, access)).all());
    const ofSessions = catalog.ofSessions();
    const modern = async (): Promise<Tool[]> => (await legacy()).filter(({ name }) => !ofSessions.has(name));
    const beside = options.compat === BESIDE_OURS ? chosenTools(core, options, catalog, access) : [];
    const stateless = beside.filter(({ name }) => !ofSessions.has(name));
    const lists = {
      legacy: { instructions: instructionsFor(beside), tools: legacy },
      modern: { instructions: instructionsFor(stateless), tools: modern },
    };
    return { access, lists, isExplorer: false };
  }
  const user = access?.user ?? options.user;
  const chosen = chosenTools(core, options, catalog, access);
  const listOf = (tools: Tool[]): ToolList => ({
    instructions: instructionsFor(tools),
    tools: async () => tools,
    app: McpApp.for(tools, user, catalog.all()),
  });
  const ofSessions = catalog.ofSessions();
  const stateless = chosen.filter(({ name }) => !ofSessions.has(name));
  return { access, lists: { legacy: listOf(chosen), modern: listOf(stateless) }, isExplorer: false };
}

/** The tools of the explorer, which shows the memories of all users. */
export function explorerToolFilter(core: CoreThread, given: ToolAccess): ToolFilter {
  const access: ToolAccess = { ...given, toolsets: EXPLORER_TOOLSETS, user: undefined, isForAllUsers: true };
  const tools = once(async () => (await listed(core, access)).withExamples());
  return { access, lists: sameForAll(tools), isExplorer: true };
}

/** The tools of the catalog that the options and an access select, and the core can run. */
function chosenTools(core: CoreThread, options: Options, catalog: ToolCatalog, access: ToolAccess | undefined): Tool[] {
  return catalog.choose(access?.toolsets ?? options.toolsets, {
    readOnly: options.readOnly || access?.readOnly === true,
    user: (access?.user ?? options.user) !== undefined,
    code: core.settings.code !== undefined,
    outputSchemas: options.outputSchemas,
  });
}

function sameForAll(tools: () => Promise<Tool[]>): ToolFilter['lists'] {
  const list: ToolList = { instructions: undefined, tools };
  return { legacy: list, modern: list };
}

/** The paragraphs of the instructions that fit these tools. */
function instructionsFor(tools: readonly Tool[]): string | undefined {
  const names = new Set(tools.map(({ name }) => name));
  const fitting = INSTRUCTIONS.filter(
    ({ needs, lacks }) => needs.every((name) => names.has(name)) && !lacks.some((name) => names.has(name)),
  );
  return fitting.length === 0 ? undefined : fitting.map(({ text }) => text).join('\n');
}

/** The core's tool list for this access; the core applies `--read-only`. */
async function listed(core: CoreThread, access?: ToolAccess): Promise<ToolCatalog> {
  return new ToolCatalog(await core.tools(access));
}

/** Caches a list at its first use. A failure is not cached. */
function once(make: () => Promise<Tool[]>): () => Promise<Tool[]> {
  let made: Tool[] | undefined;
  return async () => (made ??= await make());
}
