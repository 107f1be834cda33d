/** The tools that a client may use. */
import type { CoreThread } from './core-thread.ts';
import type { Options } from './options.ts';
import { INSTRUCTIONS } from 'limbic-pkg/instructions.mts';
import { ToolCatalog, type Tool } from './tool-catalog.ts';

/** The tools that are offered to a kind of client. */
export interface ToolFilter {
  /** The toolsets that its calls may use; default: those of the server. */
  readonly toolsets: readonly string[] | undefined;
  /** What the model is told at initialisation. */
  readonly instructions: string | undefined;
  readonly tools: () => Promise<Tool[]>;
}

/** The explorer also uses tools that are not offered to agents. */
const EXPLORER_TOOLSETS: readonly string[] = ['all', 'explorer'];

/** The tools that the options select, for agents. */
export function agentToolFilter(core: CoreThread, options: Options, catalog: ToolCatalog): ToolFilter {
  const chosen =
    options.compat === undefined
      ? catalog.choose(options.toolsets, options.readOnly, options.outputSchemas)
      : undefined;
  // The tool list of an emulated server comes from the core.
  return {
    toolsets: undefined,
    instructions: chosen === undefined ? undefined : instructionsFor(chosen),
    tools: chosen === undefined ? once(async () => (await listed(core)).all()) : async () => chosen,
  };
}

/** The tools of the explorer. */
export function explorerToolFilter(core: CoreThread): ToolFilter {
  return {
    toolsets: EXPLORER_TOOLSETS,
    instructions: undefined,
    tools: once(async () => (await listed(core, EXPLORER_TOOLSETS)).withExamples()),
  };
}

/** The paragraphs of the instructions that fit these tools. */
function instructionsFor(tools: readonly Tool[]): string | undefined {
  const names = new Set(tools.map(({ name }) => name));
  const fitting = INSTRUCTIONS.filter(
    ({ needs, lacks }) => needs.every((name) => names.has(name)) && !lacks.some((name) => names.has(name)),
  );
  return fitting.length === 0 ? undefined : fitting.map(({ text }) => text).join('\n');
}

/** The core's tool list for these toolsets; the core applies `--read-only`. */
async function listed(core: CoreThread, toolsets?: readonly string[]): Promise<ToolCatalog> {
  return new ToolCatalog(await core.tools(toolsets));
}

/** Caches a list at its first use. A failure is not cached. */
function once(make: () => Promise<Tool[]>): () => Promise<Tool[]> {
  let made: Tool[] | undefined;
  return async () => (made ??= await make());
}
