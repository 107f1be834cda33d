/** What a client may use. */
import type { CoreThread } from './core-thread.ts';
import type { Options } from './options.ts';
import { ToolCatalog, type Tool } from './tool-catalog.ts';

/** The tools that one kind of client is offered. */
export interface ToolFilter {
  /** The toolsets that its calls may use; without any, those that the server was started with. */
  readonly toolsets: readonly string[] | undefined;
  readonly tools: () => Promise<Tool[]>;
}

/** The explorer shows whatever the memory holds, and more about it than an agent is to be offered. */
const EXPLORER_TOOLSETS: readonly string[] = ['all', 'explorer'];

/** What the server was asked to offer. */
export function agentToolFilter(core: CoreThread, options: Options, catalog: ToolCatalog): ToolFilter {
  const chosen = options.compat === undefined ? catalog.choose(options.toolsets, options.readOnly) : undefined;
  // The list of another server comes from the core itself; it is not worth a file of its own.
  return {
    toolsets: undefined,
    tools: chosen === undefined ? once(async () => (await listed(core)).all()) : async () => chosen,
  };
}

/** What the explorer's page is offered. */
export function explorerToolFilter(core: CoreThread): ToolFilter {
  return {
    toolsets: EXPLORER_TOOLSETS,
    tools: once(async () => (await listed(core, EXPLORER_TOOLSETS)).withExamples()),
  };
}

/** What the core lists for these toolsets; it leaves out itself what may not be used. */
async function listed(core: CoreThread, toolsets?: readonly string[]): Promise<ToolCatalog> {
  return new ToolCatalog(await core.tools(toolsets));
}

/** Makes a list at the first need. A failure is not kept. */
function once(make: () => Promise<Tool[]>): () => Promise<Tool[]> {
  let made: Tool[] | undefined;
  return async () => (made ??= await make());
}
