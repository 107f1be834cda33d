/** The types of `limbic-memory/memory-tool`. */

/** An open memory. An object that passes calls on should have its `user` and `redact`, too. */
export interface OpenMemory {
  call(tool: string, input?: unknown, options?: { asStored?: boolean }): Promise<unknown>;
  readonly user?: string | undefined;
  readonly redact?: 'pii' | undefined;
}

/** The commands of Anthropic's memory tool, each with its handler, as `betaMemoryTool` takes them. */
export interface MemoryToolHandlers {
  view(command: { path: string; view_range?: number[] }): Promise<string>;
  create(command: { path: string; file_text: string }): Promise<string>;
  str_replace(command: { path: string; old_str: string; new_str?: string }): Promise<string>;
  insert(command: { path: string; insert_line: number; insert_text: string }): Promise<string>;
  delete(command: { path: string }): Promise<string>;
  rename(command: { old_path: string; new_path: string }): Promise<string>;
}

/** A command of the memory tool with its arguments. */
export type MemoryToolCommand = {
  [Name in keyof MemoryToolHandlers]: { command: Name } & Parameters<MemoryToolHandlers[Name]>[0];
}[keyof MemoryToolHandlers];

export interface MemoryToolOptions {
  /** The domain that holds the files; default `memory-tool`. */
  readonly domain?: string;
  /** The owner of the files; default the memory's `user`, else none: files that have an owner are left out. */
  readonly userId?: string;
}

/** Creates the handler of each command on an open memory. Paths cannot leave `/memories`. */
export declare function memoryTool(memory: OpenMemory, options?: MemoryToolOptions): MemoryToolHandlers;

/**
 * Creates one function for all commands, as `anthropic.tools.memory_20250818({ execute })` of the Vercel AI SDK takes
 * it. A failure is an answer that begins with `Error: `.
 */
export declare function memoryToolExecutor(
  memory: OpenMemory,
  options?: MemoryToolOptions,
): (command: MemoryToolCommand) => Promise<string>;
